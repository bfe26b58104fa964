import Glibc
import Platform

/// A list that a user named.
struct ImportedList: Sendable {
    enum Content: Sendable {
        case file(OwnedDescriptor)
        case bag(SourceFolder)
    }

    let content: Content
    /// For messages, safe to print.
    let name: String
    /// What its bundle is called after; nil for standard input, which has no name of its own.
    let stem: [UInt8]?

    init(_ file: OwnedDescriptor, stem: [UInt8]?) {
        content = .file(file)
        name = file.name
        self.stem = stem
    }

    init(_ folder: SourceFolder) {
        content = .bag(folder)
        name = folder.root.name
        stem = folder.name.bytes
    }

    private init(_ file: OwnedDescriptor, of other: ImportedList) {
        content = .file(file)
        (name, stem) = (other.name, other.stem)
    }

    // MARK: Reading it twice

    /// The same list, where it can be read a second time; a copy of what comes through a pipe.
    func rereadable(_ observer: ImportObserver) throws(ImportProblem) -> ImportedList {
        guard case .file(let file) = content, position == nil else { return self }
        let copy = try ImportProblem.asked { () throws(SystemError) in try TemporaryFolder.unnamedFile() }
        let input = ListInput(file, name: name, shouldStop: observer.shouldStop)
        while try input.take({ piece throws(ImportProblem) in
            do throws(SystemError) { try copy.write(piece) } catch { throw .system(error) }
        }) {}
        let list = ImportedList(copy, of: self)
        try list.rewind(to: 0)
        return list
    }

    /// Where reading goes on; nil for what can't be read again, and for a bag.
    var position: Int? {
        guard case .file(let file) = content else { return nil }
        let position = lseek(file.rawValue, 0, SEEK_CUR)
        return position < 0 ? nil : position
    }

    func rewind(to position: Int?) throws(ImportProblem) {
        guard case .file(let file) = content, let position else { return }
        guard lseek(file.rawValue, position, SEEK_SET) >= 0 else { throw .system(.last("rewind", name)) }
    }
}
