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

    /// - Parameter copy: of all that the other one held.
    init(_ copy: OwnedDescriptor, of other: ImportedList) {
        content = .file(copy)
        (name, stem) = (other.name, other.stem)
    }

    // MARK: Reading it twice

    /// Whether it is gone once it was read.
    var isPipe: Bool {
        guard case .file = content else { return false }
        return position == nil
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
