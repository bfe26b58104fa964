import Glibc
import Platform

/// One published state of the whole library: which content each bundle of each manifest has.
package struct Generation: Sendable {
    package let number: GenerationNumber
    /// Held open; a reader that needs it for long takes a shared `flock` on it, and collection leaves it alone.
    package let directory: Directory
    /// By manifest, then by bundle.
    package let manifests: [ContentID: [ContentID: StoreName]]

    /// Reads the generation in `directory`.
    /// - Throws: `damaged` for a link that leads anywhere but to content of its own bundle.
    init(number: GenerationNumber, directory: Directory) throws(LibraryError) {
        self.number = number
        self.directory = directory
        var manifests: [ContentID: [ContentID: StoreName]] = [:]
        for name in try translating({ () throws(SystemError) in try directory.names() }) {
            guard let manifest = ContentID(name) else { continue }
            manifests[manifest] = try Self.bundles(of: manifest, in: directory)
        }
        self.manifests = manifests
    }

    private static func bundles(
        of manifest: ContentID, in directory: Directory
    ) throws(LibraryError) -> [ContentID: StoreName] {
        let (holder, names) = try translating { () throws(SystemError) in
            let holder = try directory.subdirectory(manifest.path)
            return (holder, try holder.names())
        }
        var bundles: [ContentID: StoreName] = [:]
        for name in names {
            guard let bundle = ContentID(name) else { continue }
            let target = try translating { () throws(SystemError) in try holder.linkTarget(of: name) }
            let address = StoreAddress(linkTarget: target, of: BundleAddress(manifest: manifest, bundle: bundle))
            guard let address else {
                throw LibraryError(
                    .damaged,
                    "\(holder.name)/\(name) leads to \(escapedText(target)), which is not content of that bundle; remove it and sync again"
                )
            }
            bundles[bundle] = address.name
        }
        return bundles
    }

    /// Every content directory this generation needs.
    var addresses: [StoreAddress] {
        manifests.flatMap { manifest, bundles in
            bundles.map { StoreAddress(bundle: BundleAddress(manifest: manifest, bundle: $0), name: $1) }
        }
    }

    /// The exact bytes of the manifest that were published; nil when it isn't in this generation.
    package func manifestBytes(_ manifest: ContentID, limitBytes: Int = 1 << 30) throws(LibraryError) -> [UInt8]? {
        do {
            return try directory.subdirectory(manifest.path)
                .readFile(LibraryLayout.manifestFile, limitBytes: limitBytes)
        } catch {
            guard error.isNotFound else { throw LibraryError(error) }
            return nil
        }
    }
}

/// The library's own counter of generations, from 1; ever growing.
package struct GenerationNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Int

    /// Nil for a number that no generation has.
    package init?(_ value: Int) {
        guard (1..<Int(Int32.max)).contains(value) else { return nil }
        self.value = value
    }

    /// Reads the name of a generation's directory; nil for any other name.
    init?(_ name: some Collection<UInt8>) {
        let text = String(decoding: name, as: UTF8.self)
        guard let value = Int(text), let number = GenerationNumber(value), number.description == text else {
            return nil
        }
        self = number
    }

    /// At least six digits: `000042`.
    package var description: String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }

    var path: RelativePath { LibraryLayout.path(description) }
    /// What it is called while it is being written, and while it is being removed.
    var newPath: RelativePath { LibraryLayout.path(".\(description).new") }
    var removedPath: RelativePath { LibraryLayout.path(".\(description).removed") }

    /// What `current` says when it names this generation.
    var linkTarget: [UInt8] { Self.linkPrefix + Array(description.utf8) }

    init?(linkTarget: [UInt8]) {
        guard linkTarget.starts(with: Self.linkPrefix) else { return nil }
        self.init(linkTarget.dropFirst(Self.linkPrefix.count))
    }

    private static let linkPrefix = Array("\(LibraryLayout.generations)/".utf8)

    package static func < (left: GenerationNumber, right: GenerationNumber) -> Bool { left.value < right.value }
}
