import TestSupport

/// The real minisign, with a key of the test's own.
struct Minisign {
    private let directory: TemporaryDirectory
    private let name: String
    /// The key's 56 characters.
    let publicKey: String
    /// What stands in its comment.
    let id: String

    var publicKeyPath: String { directory["\(name).pub"] }
    var secretKeyPath: String { directory["\(name).key"] }

    /// - Parameter password: what the secret key is encrypted with; nil: nothing.
    init(in directory: TemporaryDirectory, named name: String = "signer", password: String? = nil) async throws {
        (self.directory, self.name) = (directory, name)
        let input = password.map { "\($0)\n\($0)\n" } ?? ""
        let made = try await ChildProcess.run(
            Tool.path("minisign"),
            ["-G", "-p", directory["\(name).pub"], "-s", directory["\(name).key"]] + (password == nil ? ["-W"] : []),
            input: Array(input.utf8), within: .seconds(120))
        guard made.status == .exited(0) else { throw Failure(result: made) }
        let lines = String(decoding: try directory.read("\(name).pub"), as: UTF8.self).split(separator: "\n")
        publicKey = String(lines.last ?? "")
        id = String(lines.first?.split(separator: " ").last ?? "")
    }

    /// Writes the file's signature beside it.
    func sign(_ path: String, _ more: [String] = []) async throws {
        let signed = try await ChildProcess.run(
            Tool.path("minisign"), ["-S", "-s", secretKeyPath, "-m", path] + more, within: .seconds(120))
        guard signed.status == .exited(0) else { throw Failure(result: signed) }
    }

    /// - Returns: the text of a signature of `bytes`, in a file of that name.
    func sign(_ bytes: [UInt8], called file: String) async throws -> [UInt8] {
        let path = try directory.write(bytes, to: "signed/\(file)")
        try await sign(path)
        return try directory.read("signed/\(file).minisig")
    }

    func verify(_ path: String) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            Tool.path("minisign"), ["-V", "-p", publicKeyPath, "-m", path], within: .seconds(120))
    }

    struct Failure: Error { let result: ChildProcess.Result }
}
