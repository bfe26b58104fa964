import Platform
import TestSupport

/// A directory that exists for one test: `target` to unpack into, and `outside`, in which nothing may change.
final class Scratch {
    private let directory: TemporaryDirectory
    let target: Directory
    var path: String { directory.path }
    var targetPath: String { directory["target"] }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("untouched".utf8, to: "outside")
        target = try Directory.open(directory["target"], create: true)
    }

    /// Whether nothing but the target's content has changed.
    func outsideIsUntouched() throws -> Bool {
        let directory = try Directory.open(path)
        return try Set(directory.names()) == ["outside", "target"]
            && directory.readFile("outside", limitBytes: 100) == Array("untouched".utf8)
    }

    /// What stands beneath the target.
    func tree() throws -> [RelativePath: TreeItem] {
        var items: [RelativePath: TreeItem] = [:]
        var pending: [(Directory, RelativePath?)] = [(target, nil)]
        while let (directory, prefix) = pending.popLast() {
            for name in try directory.names() {
                let path = try prefix.map { try $0.appending(name) } ?? name
                guard let status = try directory.status(of: name) else { continue }
                switch status.kind {
                case .directory:
                    items[path] = TreeItem(kind: .directory, status: status)
                    pending.append((try directory.subdirectory(name), path))
                case .symbolicLink:
                    items[path] = TreeItem(kind: .symbolicLink(try directory.linkTarget(of: name)), status: status)
                case .file:
                    let content = try directory.readFile(name, limitBytes: 1 << 30)
                    items[path] = TreeItem(kind: .file(content), status: status)
                case .other: items[path] = TreeItem(kind: .other, status: status)
                }
            }
        }
        return items
    }
}

/// One thing beneath the target.
struct TreeItem {
    enum Kind: Hashable {
        case directory, other
        case symbolicLink([UInt8])
        case file([UInt8])
    }

    let kind: Kind
    let status: FileStatus
}
