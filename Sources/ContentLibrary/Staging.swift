import Platform

/// A bundle's content while it is being built, where no reader looks. Fill ``directory``, then ``seal(digests:sharing:)`` it and commit the
/// result; ``discard()`` it when anything goes wrong.
package final class Staging: Sendable {
    /// What will become the bundle's directory.
    package let directory: Directory

    let parent: Directory
    let name: RelativePath
    // Names beside the content: a file that is about to become part of it, its receipt, and what it displaces in the store.
    let scratchName: RelativePath
    let receiptName: RelativePath
    let displacedName: RelativePath

    init(number: Int, in parent: Directory) throws(SystemError) {
        self.parent = parent
        name = LibraryLayout.path("\(number)")
        scratchName = LibraryLayout.path("\(number)-scratch")
        receiptName = LibraryLayout.path("\(number)-receipt")
        displacedName = LibraryLayout.path("\(number)-displaced")
        try parent.makeDirectory(name)
        directory = try parent.subdirectory(name)
    }

    /// Removes the content. What isn't discarded because the process dies is removed by the next run.
    package func discard() throws(LibraryError) {
        try translating { () throws(SystemError) in
            for name in [name, scratchName, receiptName, displacedName] { try parent.removeTree(name) }
        }
    }
}
