import Glibc
import Platform

/// A folder that a manifest's files lie in: all that is in it, or some files of it that a user named.
struct SourceFolder: Sendable {
    let root: Directory
    /// The absolute path, behind links but for the last component: what a user typed stands in URLs.
    let path: [UInt8]
    /// The last component; of the topmost folder, which has none, `root`.
    let name: RelativePath
    /// The files that were named; nil: everything.
    private(set) var files: Set<RelativePath>?
    /// Where it is beneath the folder that URLs are relative to; nil: it is that one.
    var place: RelativePath? { didSet { urlPrefix = place.map { SourcePath.url($0) + "/" } ?? "" } }
    /// What the URLs of its files begin with.
    private(set) var urlPrefix = ""

    init(_ root: Directory, path: [UInt8], files: Set<RelativePath>? = nil) {
        self.root = root
        self.path = path
        self.files = files
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        name = (try? RelativePath(Array(path[start...]))) ?? "root"
    }

    mutating func add(_ file: RelativePath) { files?.insert(file) }

    /// What the bundle is called that is made of its files: after it, or after the manifest where a user named these.
    func listName(manifestID: String) -> [UInt8] { files == nil ? name.bytes : Array(manifestID.utf8) }

    /// Whether a walk comes by this file, links and patterns aside.
    func holds(_ file: RelativePath) -> Bool { files?.contains(file) ?? true }

    /// Opens a file for reading. Links are followed where the user named the file.
    func open(_ path: RelativePath) throws(SystemError) -> OwnedDescriptor {
        files?.contains(path) == true
            ? try root.openNamed(path) : try root.open(path, flags: O_RDONLY | O_NONBLOCK)
    }

    func shown(_ path: RelativePath?) -> String {
        guard let path else { return root.name }
        return root.name == "/" ? "/\(path)" : "\(root.name)/\(path)"
    }
}
