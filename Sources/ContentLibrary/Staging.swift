import Platform

/// A bundle's content while it is being built, where no reader looks. Fill ``directory``, then ``seal(digests:sharing:)`` it and commit the
/// result; when anything goes wrong ``discard()`` it, or ``leave()`` it for the next run to take what ``note(_:at:)`` told of.
package final class Staging: Sendable {
    /// What will become the bundle's directory.
    package let directory: Directory

    let parent: Directory
    let name: RelativePath
    // Names beside the content: its receipt, what it displaces in the store, and files that are about to become part of it.
    let receiptName: RelativePath
    let displacedName: RelativePath
    private let number: Int
    private let journalName: RelativePath
    private let journal: StagingJournal?
    private let hasNotes = Locked(false)
    private let lastScratchNumber = Locked(0)

    /// - Parameter bundle: whose files these are, where the next run may take over what this one leaves.
    init(number: Int, in parent: Directory, for bundle: BundleAddress?) throws(SystemError) {
        self.parent = parent
        self.number = number
        name = LibraryLayout.path("\(number)")
        receiptName = LibraryLayout.path("\(number)-receipt")
        displacedName = LibraryLayout.path("\(number)-displaced")
        journalName = LibraryLayout.path("\(number)\(StagingJournal.suffix)")
        try parent.makeDirectory(name)
        directory = try parent.subdirectory(name)
        let journalName = journalName
        journal = try bundle.map { bundle throws(SystemError) in
            try StagingJournal(journalName, in: parent, for: bundle)
        }
    }

    /// Notes where a file that stands in the content has come from.
    package func note(_ source: Receipt.Source, at path: RelativePath) throws(SystemError) {
        try journal?.note(source, at: path)
        hasNotes.withLock { $0 = true }
    }

    /// Adds a piece to what the next run is to know beside the files: kept with them, until the content is in the store.
    package func note(_ text: String, of record: String) throws(SystemError) { try journal?.note(text, of: record) }

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
        let name = LibraryLayout.path("\(number)-scratch-\(scratchNumber)")
        do {
            guard try make(parent, name) else { return false }
            try parent.rename(name, to: path, in: directory)
            return true
        } catch {
            try? parent.remove(name)
            throw error
        }
    }

    /// Removes the content. What isn't discarded because the process dies is removed by the next run.
    package func discard() throws(LibraryError) {
        try translating { () throws(SystemError) in
            // The journal last: without it the rest is only rubbish.
            for name in [name, receiptName, displacedName, journalName] { try parent.removeTree(name) }
        }
    }

    /// The content has gone into the store.
    func didCommit() throws(SystemError) {
        if journal != nil { try parent.removeTree(journalName) }
    }
}
