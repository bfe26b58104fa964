import BundleManifest
import Platform

/// The way through a folder, in an order that follows from the names alone. Links are not followed.
struct FolderWalk {
    enum Step {
        /// A folder begins; nil: the topmost one.
        case folder(RelativePath?, FolderNames)
        case file(RelativePath)
        /// Neither a file nor a folder.
        case other(RelativePath, FileStatus.Kind)
        /// A folder so deep that nothing beneath can have a path.
        case tooDeep(RelativePath)
    }

    private struct Level {
        let directory: Directory
        let path: RelativePath?
        let names: FolderNames
        var next = 0

        func path(of name: RelativePath) -> RelativePath? { Self.path(of: name, beneath: path) }

        /// Nil where that would be too long.
        static func path(of name: RelativePath, beneath folder: RelativePath?) -> RelativePath? {
            guard let folder else { return name }
            return try? folder.appending(name)
        }
    }

    private let folder: SourceFolder
    private let selection: FileSelection

    init(_ folder: SourceFolder, _ selection: FileSelection) {
        self.folder = folder
        self.selection = selection
    }

    func forEachStep(_ body: (Step) throws(CreationProblem) -> Void) throws(CreationProblem) {
        // Each holds its folder open: paths have few enough components for that.
        var levels = [try topLevel()]
        try body(.folder(nil, levels[0].names))
        while let level = levels.last {
            guard level.next < level.names.count else {
                levels.removeLast()
                continue
            }
            levels[levels.count - 1].next += 1
            let (name, kind) = level.names[level.next]
            guard let path = level.path(of: name) else {
                try body(.tooDeep(level.path ?? name))
                continue
            }
            switch kind {
            case .file: try body(.file(path))
            case .directory where levels.count >= PathRules.mostComponents: try body(.tooDeep(path))
            case .directory:
                let directory = try CreationProblem.asked { () throws(SystemError) in
                    try level.directory.subdirectory(name)
                }
                let next = try self.level(directory, path)
                levels.append(next)
                try body(.folder(path, next.names))
            case .symbolicLink, .other: try body(.other(path, kind))
            }
        }
    }

    private func topLevel() throws(CreationProblem) -> Level {
        guard let files = folder.files else { return try level(folder.root, nil) }
        let names = FolderNames(files) { selection.takes($0, isDirectory: false) }
        return Level(directory: folder.root, path: nil, names: names)
    }

    private func level(_ directory: Directory, _ path: RelativePath?) throws(CreationProblem) -> Level {
        try CreationProblem.asked { () throws(SystemError) in
            let names = try FolderNames(of: directory) { name, kind in
                guard let path = Level.path(of: name, beneath: path) else { return true }
                return selection.takes(path, isDirectory: kind == .directory)
            }
            return Level(directory: directory, path: path, names: names)
        }
    }
}
