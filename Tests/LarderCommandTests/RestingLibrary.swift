import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A published library, kept a second time for comparison, that tests damage.
struct RestingLibrary {
    let stock: Stock
    private let number = Locked(0)

    static let contents: [String: Content] = [
        "one.txt": .pattern(lengthBytes: 5000, seed: 1), "dir/two.bin": .pattern(lengthBytes: 70_000, seed: 2),
        "dir.x": .pattern(lengthBytes: 100, seed: 3), "dir/sub/three": .pattern(lengthBytes: 0, seed: 4),
    ]

    init() throws { stock = try Stock() }

    /// A bundle of the kind `files` whose files are served at their paths, beneath `prefix`.
    func files(
        _ id: String = "set", _ contents: [String: Content] = Self.contents, prefix: String = "",
        hasDigests: Bool = true
    ) -> String {
        let files = contents.sorted { $0.key < $1.key }.map { path, content in
            stock.server.serve("/\(prefix)\(path)", Resource(content, etag: "\"\(content.sha256)\""))
            let digest = hasDigests ? #", "sha256": "\#(content.sha256)", "size": \#(content.lengthBytes)"# : ""
            return #"{"path": "\#(path)", "urls": ["\#(prefix)\#(path)"]\#(digest)}"#
        }
        return #"{"id": "\#(id)", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#
    }

    // MARK: Running

    func verify(_ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["verify", "--library", stock.library, "--min-free", "0"] + more)
    }

    // MARK: Looking

    /// Where in the store the content of a bundle is.
    func store(_ bundle: String = "set") throws -> String {
        let folder = "\(stock.library)/store/m/\(bundle)"
        let names = try directoryEntries(FilePathBytes(folder)).map(\.description)
        return "\(folder)/" + (try #require(names.first { !$0.hasSuffix(".receipt") }))
    }

    /// Keeps what readers see now, with modes and times.
    func keep() async throws -> String {
        let copy = stock.directory["kept-\(number.withLock { $0 += 1; return $0 })"]
        let result = try await ChildProcess.run("cp", ["-a", "\(stock.library)/store", copy])
        try #require(result.status == .exited(0), "\(result)")
        return copy
    }

    /// How the store differs from what was kept.
    func differences(from kept: String) throws -> [String] {
        try treeDifferences(kept, "\(stock.library)/store", comparingModes: true)
            .filter { !$0.contains(".receipt") }
    }

    /// How often each file was asked for.
    func requests(_ paths: [String] = contents.keys.sorted()) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: paths.map { ($0, stock.server.exchanges("/\($0)").count) })
    }

    func quarantined() throws -> [String] {
        try directoryEntries(FilePathBytes("\(stock.library)/.larder/quarantine")).map(\.description)
            .filter { $0.hasPrefix("content-") }
    }

    func staged() throws -> [String] {
        try directoryEntries(FilePathBytes("\(stock.library)/.larder/staging")).map(\.description)
    }

    func inode(_ path: String) throws -> UInt64 {
        try Platform.OwnedDescriptor.open(path, flags: O_RDONLY).status().inode
    }

    // MARK: Damaging

    /// Changes one bit in the middle of a file, and nothing else that shows.
    func flip(_ path: String) throws {
        var status = stat()
        try check(lstat(path, &status), "lstat \(path)")
        let file = open(path, O_RDWR | O_CLOEXEC)
        try check(file, "open \(path)")
        defer { close(file) }
        var byte: UInt8 = 0
        try check(pread(file, &byte, 1, Int(status.st_size) / 2), "pread \(path)")
        byte ^= 4
        try check(pwrite(file, &byte, 1, Int(status.st_size) / 2), "pwrite \(path)")
        try check(futimens(file, [status.st_atim, status.st_mtim]), "futimens \(path)")
    }
}

/// What may befall a published file.
enum Damage: String, CaseIterable, Sendable {
    case flipped, truncated, grown, missing, foreign, foreignDirectory, mode, linked, replacedByDirectory, directoryMode
    case directoryMissing, directoryLinked

    /// How `larder verify --json` calls it.
    var problem: String {
        switch self {
        case .flipped: "sha256"
        case .truncated, .grown: "size"
        case .missing, .directoryMissing, .directoryLinked, .replacedByDirectory: "missing"
        case .foreign, .foreignDirectory: "foreign"
        case .mode, .directoryMode: "mode"
        case .linked: "kind"
        }
    }

    /// The files that have to come from somewhere else.
    var lost: Set<String> {
        switch self {
        case .flipped, .truncated, .grown, .missing, .linked, .replacedByDirectory: ["dir/two.bin"]
        case .directoryMissing, .directoryLinked: ["dir/two.bin", "dir/sub/three"]
        case .foreign, .foreignDirectory, .mode, .directoryMode: []
        }
    }

    func strike(_ library: RestingLibrary, _ store: String) throws {
        let (file, directory) = ("\(store)/dir/two.bin", "\(store)/dir")
        switch self {
        case .flipped: try library.flip(file)
        case .truncated: try check(truncate(file, 10), "truncate")
        case .grown: try check(truncate(file, 70_001), "truncate")
        case .missing: try check(unlink(file), "unlink")
        case .foreign: try writeFile([1], to: "\(store)/dir-stray")
        case .foreignDirectory: try check(mkdir("\(store)/dir/empty", 0o755), "mkdir")
        case .mode: try check(chmod(file, 0o600), "chmod")
        case .linked:
            // What it leads to is what was published.
            try check(rename(file, library.stock.directory["elsewhere"]), "rename")
            try check(symlink(library.stock.directory["elsewhere"], file), "symlink")
        case .replacedByDirectory:
            try check(unlink(file), "unlink")
            try check(mkdir(file, 0o755), "mkdir")
        case .directoryMode: try check(chmod(directory, 0o700), "chmod")
        case .directoryMissing: removeTree(directory)
        case .directoryLinked:
            try check(rename(directory, library.stock.directory["elsewhere"]), "rename")
            try check(symlink(library.stock.directory["elsewhere"], directory), "symlink")
        }
    }
}
