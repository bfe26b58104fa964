import FaultServer
import TestSupport

/// What the commands of the comparison meet: a server, and a folder to work in.
struct ComparisonStage {
    let server: FaultServer
    let folder: TemporaryDirectory
    let old = Content.pattern(lengthBytes: 3_000_000, seed: 1)
    let new = Content.pattern(lengthBytes: 3_000_000, seed: 2)

    init() throws {
        server = try FaultServer()
        folder = try TemporaryDirectory()
    }

    func oldResource() -> Resource { Resource(old) }

    func newResource() -> Resource {
        Resource(new, etag: "\"v2\"", lastModified: "Fri, 02 Jan 2026 00:00:00 GMT")
    }

    // MARK: Running

    /// Starts a command with the server's address in it, in the folder.
    func start(_ command: String) throws -> ChildProcess {
        let program = try LarderProgram.path
        let folderOfProgram = program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex)
        var environment = ChildProcess.inheritedEnvironment
        environment["PATH"] = "\(folderOfProgram):\(environment["PATH"] ?? ""):\(Article.root)/.build/python/bin"
        environment["HOME"] = folder.path
        let here = command.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
        return try ChildProcess("bash", ["-c", here], environment: environment, directory: folder.path)
    }

    func run(_ command: String) async throws -> Bool {
        try await start(command).waitForExit(within: .seconds(60)).status == .exited(0)
    }

    func bytes(of name: String) -> [UInt8]? { try? folder.read(name) }
}
