import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// A server with a manifest on it, and a place for a library to be stocked from that: what most tests of `larder sync` need.
struct Stock {
    let server: FaultServer
    let directory: TemporaryDirectory
    let library: String

    /// - Parameter library: by default in a directory of the test's own.
    init(library: String? = nil) throws {
        server = try FaultServer()
        directory = try TemporaryDirectory()
        self.library = library ?? directory["library"]
    }

    var manifestURL: String { server.url("/m.json") }

    /// Serves a manifest with the id `m` of the given bundles.
    /// - Parameter more: further members, each followed by a comma.
    func serveManifest(_ bundles: [String], serial: Int = 1, more: String = "") {
        server.serve(
            "/m.json", Resource(.text(Self.manifest(bundles, serial: serial, more: more)), etag: "\"\(serial)\""))
    }

    static func manifest(_ bundles: [String], id: String = "m", serial: Int = 1, more: String = "") -> String {
        """
        {"format": "larder/1", "id": "\(id)", "serial": \(serial), \(more)
         "bundles": [
           \(bundles.joined(separator: ",\n   "))
         ]}
        """
    }

    /// A bundle of one file `data` beneath it, served at `/ID.bin`.
    func file(
        _ id: String, _ content: Content, hasDigest: Bool = true, resource: ((Resource) -> Resource)? = nil,
        more: String = ""
    ) -> String {
        let plain = Resource(content)
        server.serve("/\(id).bin", resource?(plain) ?? plain)
        let size = hasDigest ? #", "size": \#(content.lengthBytes), "sha256": "\#(content.sha256)""# : ""
        return
            #"{"id": "\#(id)", "kind": "files", \#(more) "files": [{"path": "data", "urls": ["\#(id).bin"]\#(size)}]}"#
    }

    /// An archive bundle, served at `/ID.zip`.
    func archive(_ id: String, _ bytes: [UInt8], hasDigest: Bool = true, more: String = "") -> String {
        server.serve("/\(id).zip", Resource(.bytes(bytes)))
        let digest = hasDigest ? #", "sha256": "\#(SHA256.digest(of: bytes))""# : ""
        return #"{"id": "\#(id)", "kind": "archive", \#(more) "urls": ["\#(id).zip"]\#(digest)}"#
    }

    // MARK: Running

    /// The command line of a sync of the manifest, in which no failure is worth a second try unless a test says so.
    func arguments(_ more: [String] = [], manifests: [String]? = nil) -> [String] {
        ["sync"] + (manifests ?? [manifestURL]) + ["--library", library, "--retries", "0", "--min-free", "0"] + more
    }

    func sync(_ more: String..., manifests: [String]? = nil) async throws -> ChildProcess.Result {
        try await LarderProgram.run(arguments(more, manifests: manifests))
    }

    func startSync(_ more: String...) throws -> ChildProcess { try LarderProgram.start(arguments(more)) }

    // MARK: Looking

    /// What readers see: the names beneath a bundle, or beneath the manifest.
    func published(_ path: String = "m") throws -> [String] {
        let names = (try? directoryEntries(FilePathBytes("\(library)/current/\(path)"))) ?? []
        return names.map(\.description).filter { !$0.hasPrefix(".") }
    }

    func content(_ path: String) throws -> [UInt8] { try readFile("\(library)/current/m/\(path)") }

    /// How the published file of a `file` bundle differs from what it should be; nil when it doesn't.
    func difference(_ id: String, _ content: Content) throws -> String? {
        contentDifference(content.bytes(), try self.content("\(id)/data"))
    }

    /// The names in the library's folder for partial downloads.
    func partials() throws -> [String] {
        try directoryEntries(FilePathBytes("\(library)/.larder/partial")).map(\.description)
    }

    /// Bytes of the largest unfinished download. A small one may be there too, complete but not in its place yet.
    func partialBytes() throws -> Int {
        try partials().filter { $0.hasSuffix(".part") }
            .map { try readFile("\(library)/.larder/partial/\($0)").count }.max() ?? 0
    }
}

extension Content {
    var sha256: String { "\(Platform.SHA256.digest(of: bytes()))" }
}

extension ChildProcess.Result {
    /// Lines on stderr.
    var problems: [String] { errorText.split(separator: "\n").map(String.init) }
    var outputLines: [String] { outputText.split(separator: "\n").map(String.init) }

    /// The figures of the last event.
    var finished: ProgramEvent {
        get throws { try #require(events.last { $0.name == "run.finished" }, "\(self)") }
    }
}

extension ProgramEvent {
    /// A count of bundles in `run.finished`.
    func bundles(_ what: String) -> Int? { value["bundles"]?[what]?.integer }
}
