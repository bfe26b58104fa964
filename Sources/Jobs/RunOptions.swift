import BundleManifest
import ContentLibrary
import Diagnostics
import Downloads
import Platform
import Transfer

/// What a run is asked to do, and within what bounds.
package struct RunOptions: Sendable {
    /// The command's name, for events and the history.
    package var command = "sync"
    package var libraryPath: String
    package var manifests: [ManifestLocation]
    /// Only these bundles; empty: all.
    package var onlyBundles: Set<String> = []
    /// Only bundles with one of these tags; empty: all.
    package var onlyTags: Set<String> = []
    package var downloads = DownloaderConfiguration()
    /// What becomes of redirects.
    package var redirects = RedirectPolicy.follow(limit: 10)
    /// The most bytes that one reply may carry; nil: any number.
    package var bodyBudgetBytes: Int64?
    /// Publish nothing unless everything can be.
    package var allOrNothing = false
    package var allowsRollback = false
    package var allowsExpired = false
    /// By whom manifests must be signed; empty: by nobody.
    package var publicKeys: [MinisignPublicKey] = []
    /// Generations that stay besides the current one's successors, and for how long younger ones do.
    package var keptGenerations = 2
    package var keepAge: Duration = .seconds(86_400)
    /// Stores what is encrypted of presentations in the clear, whatever manifests say.
    package var decrypts = false
    /// Who is asked for bytes before any mirror is, in this order.
    package var couriers: [CourierLocation] = []
    /// That the run works on damaged content of what is published, and on nothing else; `manifests` are none then. Nil: as manifests ask.
    package var mending: MendingOrder?
    package var clock = RunClock.system
    /// Body bytes after which the run pauses; nil: no bound.
    package var maximumBytes: Int64?
    /// Body bytes of all runs of a month, after which they pause until the next one; nil: no bound.
    package var monthlyBytes: Int64?
    /// After this long the run pauses; nil: no bound.
    package var deadline: Duration?
    /// How long nothing may go on for want of a network, before the run pauses; nil: for ever.
    package var networkPatience: Duration?
    /// Room that must stay free on the library's disk.
    package var minimumFree = FreeSpace.percent(5)

    /// When it may work.
    package var terms = RunTerms()
    /// What to do while another run holds the library.
    package var lock = LockPolicy.fail
    /// What is run, by `sh -c`, after a new generation; nil: nothing.
    package var changeCommand: String?
    /// Where a Prometheus text goes after each run; nil: nowhere.
    package var metricsPath: String?
    /// Whether servers are asked for a manifest only if it changed, and nothing is looked at again that was settled.
    package var remembersManifests = false
    /// Whether sources that sent wrong bytes are left alone for a while.
    package var sparesDistrusted = false
    /// Whether what is wrong with a manifest is told in one line.
    package var tellsBriefly = false

    package init(libraryPath: String, manifests: [ManifestLocation]) {
        self.libraryPath = libraryPath
        self.manifests = manifests
    }

    /// Whether every bundle is part of the run.
    var asksForAll: Bool { onlyBundles.isEmpty && onlyTags.isEmpty }

    /// Whether a bundle is part of the run.
    func selects(_ bundle: Bundle, of manifest: ContentID) -> Bool {
        if let mending { return mending.names(bundle, of: manifest) }
        return (onlyBundles.isEmpty || onlyBundles.contains(bundle.id.text))
            && (onlyTags.isEmpty || !onlyTags.isDisjoint(with: bundle.tags))
    }

    /// What was asked for by name must be in one of the manifests.
    func checkSelection(in manifests: [LoadedManifest]) throws(RunProblem) {
        let bundles = manifests.flatMap(\.manifest.bundles)
        try Self.check(onlyBundles, among: bundles.map(\.id.text)) { "--only: no manifest has a bundle '\($0)'" }
        try Self.check(onlyTags, among: bundles.flatMap(\.tags)) {
            "--tag: no bundle of any manifest has the tag '\($0)'"
        }
    }

    private static func check(
        _ names: Set<String>, among known: [String], problem: (String) -> String
    ) throws(RunProblem) {
        guard let unknown = names.subtracting(known).min() else { return }
        let hint = nearestMatch(to: unknown, among: known).map { "; did you mean '\($0)'?" } ?? ""
        throw RunProblem(.usage, problem(escapedText(unknown)) + hint)
    }

    /// What to do while another run holds the library.
    package enum LockPolicy: Hashable, Sendable {
        /// Say so, and end with 75.
        case fail
        /// Leave it to the other one: that is a success.
        case skip
        /// Try again for so long; then as `fail`.
        case wait(Duration)
    }

    /// Room on a disk.
    package enum FreeSpace: Hashable, Sendable, CustomStringConvertible {
        case bytes(Int64)
        /// Of the whole disk.
        case percent(Int)

        package var description: String {
            switch self {
            case .bytes(let bytes): "\(bytes) bytes"
            case .percent(let percent): "\(percent)%"
            }
        }

        /// In bytes, on a disk of so many.
        func bytes(ofTotal total: Int64) -> Int64 {
            switch self {
            case .bytes(let bytes): bytes
            case .percent(let percent): Int64(Double(total) * Double(percent) / 100)
            }
        }
    }
}
