import Platform

/// A bundle's content while it is being built, where no reader looks. Fill ``directory``, then ``seal(digests:sharing:)`` it and commit the
/// result; ``discard()`` it when anything goes wrong.
package final class Staging: Sendable {
    /// What will become the bundle's directory.
    package let directory: Directory

    let parent: Directory
    let name: RelativePath
    // Names beside the content: its receipt, what it displaces in the store, and files that are about to become part of it.
    let receiptName: RelativePath
    let displacedName: RelativePath
    private let number: Int
    private let lastScratchNumber = Locked(0)

    init(number: Int, in parent: Directory) throws(SystemError) {
        self.parent = parent
        self.number = number
        name = LibraryLayout.path("\(number)")
        receiptName = LibraryLayout.path("\(number)-receipt")
        displacedName = LibraryLayout.path("\(number)-displaced")
        try parent.makeDirectory(name)
        directory = try parent.subdirectory(name)
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
            for name in [name, receiptName, displacedName] { try parent.removeTree(name) }
        }
    }
}
