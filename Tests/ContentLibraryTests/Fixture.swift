import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// A library in a directory of the test's own.
struct Fixture {
    let temporary: TemporaryDirectory
    let path: String

    init() throws {
        temporary = try TemporaryDirectory()
        path = temporary["library"]
    }

    func open() throws -> Library { try Library.open(path, for: .writing) }

    func writer() throws -> LibraryWriter {
        switch try open().beginWriting() {
        case .granted(let writer): return writer
        case .busy(let processID): throw Unexpected("the library is busy: \(processID ?? 0)")
        }
    }

    func directory() throws -> Directory { try Directory.open(path) }

    /// Paths of everything beneath the library, `.larder` left out, sorted.
    func tree() throws -> [String] {
        var found: [String] = []
        var pending = [""]
        while let prefix = pending.popLast() {
            for name in try directoryEntries(FilePathBytes("\(path)/\(prefix)")) {
                let relative = prefix + String(decoding: name.bytes, as: UTF8.self)
                if relative == ".larder" { continue }
                found.append(relative)
                let status = try directory().status(of: RelativePath(relative))
                if status?.kind == .directory { pending.append(relative + "/") }
            }
        }
        return found.sorted()
    }
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A made-up bundle: its one source is `text`.
struct Sample {
    let bundle: BundleAddress
    let text: String
    let version: String

    init(_ manifest: String = "museum", _ bundle: String = "gallery", text: String = "one", version: String = "7")
        throws
    {
        self.bundle = BundleAddress(
            manifest: try #require(ContentID(manifest)), bundle: try #require(ContentID(bundle)))
        self.text = text
        self.version = version
    }

    var key: StoreKey {
        StoreKey(
            kind: "files", sources: [.init(identity: .sha256(SHA256.digest(of: text.utf8)))], options: [:],
            extractorVersion: 1)
    }

    var origin: Receipt.Origin {
        Receipt.Origin(bundle: bundle, version: version, key: key, created: Timestamp(seconds: 1_795_910_400))
    }

    var sources: [Receipt.Source] {
        [
            .init(
                url: "https://a.example/\(bundle)", sizeBytes: Int64(text.utf8.count),
                sha256: SHA256.digest(of: text.utf8))
        ]
    }

    func staged(by writer: LibraryWriter) throws -> Staging {
        let staging = try writer.makeStaging()
        try staging.write(text, to: "content.txt")
        return staging
    }

    @discardableResult
    func commit(by writer: LibraryWriter) throws -> StoredContent {
        try writer.commit(staged(by: writer).seal(), origin: origin, sources: sources)
    }

    /// Publishes this bundle alone as its manifest.
    @discardableResult
    func publish(by writer: LibraryWriter, manifestText: String = "{}") throws -> Generation {
        var draft = GenerationDraft(base: try writer.library.generations.current())
        draft.setManifest(bundle.manifest, bytes: Array(manifestText.utf8), contents: [try commit(by: writer)])
        return try #require(try writer.publish(draft))
    }
}

extension Staging {
    func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
        let path = try RelativePath(path)
        if let parent = path.parent { try directory.makeDirectories(parent) }
        let file = try directory.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        try file.setMode(mode)
        try file.write(Array(text.utf8))
    }
}
