import Platform

/// A bundle's content while it is being built, where no reader looks. Fill ``directory``, then ``seal(digests:sharing:)`` it and commit the
/// result; when anything goes wrong ``discard()`` it, or ``leave()`` it for the next run to take what ``note(_:at:)`` told of.
package final class Staging: Sendable {
    /// What will become the bundle's directory.
    package let directory: Directory

    let parent: Directory
    let names: StagingNames
    private let journal: StagingJournal?
    private let hasNotes = Locked(false)
    private let lastScratchNumber = Locked(0)
    /// The files of older content that have got a name here.
    private let linked = Locked<[RelativePath: [UInt64]]>([:])
    /// What earlier runs had brought and lies here now.
    private let loans = Locked<[Loan]>([])

    /// - Parameter bundle: whose files these are, where the next run may take over what this one leaves.
    init(number: Int, in parent: Directory, for bundle: BundleAddress?) throws(SystemError) {
        self.parent = parent
        let names = StagingNames(number: number)
        self.names = names
        try parent.makeDirectory(names.content)
        directory = try parent.subdirectory(names.content)
        journal = try bundle.map { bundle throws(SystemError) in
            try StagingJournal(names.journal, in: parent, for: bundle)
        }
    }

    /// Notes where a file that stands in the content has come from.
    package func note(_ source: Receipt.Source, at path: RelativePath) throws(SystemError) {
        try journal?.note(source, at: path)
        hasNotes.withLock { $0 = true }
    }

    /// Adds a piece to what the next run is to know beside the files: kept with them, until the content is in the store.
    package func note(_ text: String, of record: String) throws(SystemError) { try journal?.note(text, of: record) }

    /// Notes that a file of the store has got this name, too: its bytes are on the disk.
    func note(linked path: RelativePath, _ status: FileStatus) {
        linked.withLock { $0[path] = status.identity }
    }

    /// Notes that a file was taken from what an earlier run had left.
    func note(_ loan: Loan) { loans.withLock { $0.append(loan) } }

    /// Whether what stands at a path is a file of the store still.
    func isLinked(_ path: RelativePath, _ status: FileStatus) -> Bool {
        linked.withLock { $0[path] } == status.identity
    }

    /// Gives the building up: what was noted stays for the next run, anything else goes.
    package func leave() throws(LibraryError) {
        if !hasNotes.withLock({ $0 }) { try discard() }
    }

    /// Lets `make` build a file under a name of its own, several at once if need be, and gives it its place in the content when it is complete.
    /// - Returns: what `make` returns: false when there is no such file after all.
    func place(
        at path: RelativePath, _ make: (Directory, RelativePath) throws(SystemError) -> Bool
    ) throws(SystemError) -> Bool {
        let scratchNumber = lastScratchNumber.withLock { number in
            number += 1
            return number
        }
        let name = names.scratch(scratchNumber)
        do {
            guard try make(parent, name) else { return false }
            try parent.rename(name, to: path, in: directory)
            return true
        } catch {
            try? parent.remove(name)
            throw error
        }
    }

    /// Removes the content, but for what was taken from earlier runs: that goes back to where it was. What isn't discarded because the process dies is
    /// removed by the next run.
    package func discard() throws(LibraryError) {
        let loans = loans.withLock { loans in
            defer { loans = [] }
            return loans
        }
        if isHere { for loan in loans { loan.giveBack(from: directory) } }
        try translating { () throws(SystemError) in
            // The journal last: without it the rest is only rubbish.
            for name in [names.content, names.receipt, names.displaced, names.journal] { try parent.removeTree(name) }
        }
    }

    /// Whether the content still lies here: what a commit that failed late has moved into the store is taken nothing out of.
    private var isHere: Bool {
        guard let here = try? parent.status(of: names.content), let own = try? directory.descriptor.status() else {
            return false
        }
        return here.identity == own.identity
    }

    /// The content has gone into the store.
    func didCommit() throws(SystemError) {
        if journal != nil { try parent.removeTree(names.journal) }
    }
}

/// What lies in the folder of staging for one bundle.
struct StagingNames: Hashable {
    let number: Int

    /// What will become the bundle's directory.
    var content: RelativePath { LibraryLayout.path("\(number)") }
    var receipt: RelativePath { LibraryLayout.path("\(number)\(Self.receiptSuffix)") }
    /// What the content displaces in the store.
    var displaced: RelativePath { LibraryLayout.path("\(number)-displaced") }
    var journal: RelativePath { LibraryLayout.path("\(number)-journal") }
    /// A file that is about to become part of the content.
    func scratch(_ scratchNumber: Int) -> RelativePath { LibraryLayout.path("\(number)-scratch-\(scratchNumber)") }

    private static let receiptSuffix = "-receipt"

    init(number: Int) { self.number = number }

    /// By the name of the content; nil for any other.
    init?(content name: RelativePath) { self.init(name.bytes[...]) }

    /// By the name of the receipt; nil for any other.
    init?(receipt name: RelativePath) {
        let suffix = Array(Self.receiptSuffix.utf8)
        guard name.bytes.suffix(suffix.count) == suffix[...] else { return nil }
        self.init(name.bytes.dropLast(suffix.count))
    }

    private init?(_ digits: ArraySlice<UInt8>) {
        let text = String(decoding: digits, as: UTF8.self)
        guard let number = Int(text), (1..<1 << 40).contains(number), String(number) == text else { return nil }
        self.number = number
    }
}
