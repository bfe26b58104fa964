import FaultServer
import Platform
import TestSupport
import Testing

/// What happens on disks that are full, or that can't be written to.
@Suite(.enabled(if: Parameters.wantsRootTests, "make test-root runs these"))
struct DiskRootTests {
    private let large = deterministicBytes(8 << 20, seed: 1)
    private let small = deterministicBytes(1000, seed: 2)
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        // No length either: the disk alone tells that there is no room.
        server.serve("/large.bin", Resource(.bytes(large)).altered { $1.status == 200 ? $1.chunked() : $1 })
        server.serve("/small.bin", Resource(.bytes(small)))
        serveManifest(largeSize: "")
    }

    @Test func onAFullDiskWhatIsPublishedStaysAndLaterTheRunCarriesOn() async throws {
        let disk = try await MountedDisk(sizeBytes: 4 << 20)
        let library = "\(disk.path)/library"
        #expect(try await sync(library, "--only", "small").status == .exited(0))

        let full = try await sync(library)
        #expect(full.status == .exited(73), "\(full)")
        #expect(full.errorLines.filter { $0.hasPrefix("error: disk/large: ") }.count == 1, "\(full)")
        let published = try directoryEntries(FilePathBytes("\(library)/current/disk"))
        #expect(published == [".manifest.json", "small"])
        #expect(try readFile("\(library)/current/disk/small/small.bin") == small)

        try await disk.remount("size=\(64 << 20)")
        let roomy = try await sync(library, "--json")
        #expect(roomy.status == .exited(0), "\(roomy)")
        #expect(contentDifference(large, try readFile("\(library)/current/disk/large/large.bin")) == nil)
        // Nearly all of the disk was the large file's beginning.
        let resumed = try #require(roomy.events.last?["bytesResumed"])
        #expect(resumed > 3 << 20)
        #expect(server.bodyBytesSent("/small.bin") == UInt64(small.count))
    }

    @Test func whatIsKnownToFindNoRoomIsRefusedBeforeTheFirstByte() async throws {
        let disk = try await MountedDisk(sizeBytes: 4 << 20)
        let library = "\(disk.path)/library"
        serveManifest(largeSize: #", "size": \#(large.count)"#)

        let refused = try await sync(library)
        #expect(refused.status == .exited(73), "\(refused)")
        #expect(refused.errorLines.filter { $0.hasPrefix("error: ") && $0.contains(library) }.count == 1, "\(refused)")
        #expect(server.bodyBytesSent("/large.bin") == 0)
    }

    @Test func aReplyThatIsTooLongForTheDiskIsRefusedBeforeItsBody() async throws {
        let disk = try await MountedDisk(sizeBytes: 4 << 20)
        server.serve("/large.bin", Resource(.bytes(large)))

        let refused = try await sync("\(disk.path)/library", "--json")
        #expect(refused.status == .exited(73), "\(refused)")
        #expect(refused.events.contains { $0.name == "bundle.failed" && $0.value["code"]?.string == "noSpace" })
        #expect(try readFile("\(disk.path)/library/current/disk/small/small.bin") == small)
        let partial = try directoryEntries(FilePathBytes("\(disk.path)/library/.larder/partial"))
        #expect(partial.isEmpty)
    }

    @Test func aDiskThatFillsDuringTheRunPausesItBeforeItIsFull() async throws {
        let disk = try await MountedDisk(sizeBytes: 64 << 20)
        let library = "\(disk.path)/library"
        let content = Content.pattern(lengthBytes: 48 << 20, seed: 3)
        server.serve("/endless.bin", Resource(content).altered { $1.status == 200 ? $1.chunked() : $1 })
        // No size: nobody knows beforehand.
        let manifest = #"{"id": "endless", "kind": "ebook", "urls": ["endless.bin"]}"#
        server.serve("/endless.json", Resource(.text(Stock.manifest([manifest]))))
        let arguments = ["sync", server.url("/endless.json"), "--library", library, "--min-free", "32M"]

        let short = try await LarderProgram.run(arguments)
        #expect(short.status == .exited(73), "\(short)")
        #expect(short.errorText.contains(library) && short.errorText.contains("--min-free"), "\(short)")

        try await disk.remount("size=\(128 << 20)")
        let roomy = try await LarderProgram.run(arguments)
        #expect(roomy.status == .exited(0), "\(roomy)")
        let last = try #require(server.exchanges("/endless.bin").last)
        #expect(last.request["Range"] != nil, "it goes on at the byte it had reached")
        #expect(contentDifference(content.bytes(), try readFile("\(library)/current/m/endless/endless.bin")) == nil)
    }

    @Test func localCopiesThatFillTheDiskPauseTheRunToo() async throws {
        let disk = try await MountedDisk(sizeBytes: 64 << 20)
        let folder = try TemporaryDirectory()
        try folder.write(deterministicBytes(48 << 20, seed: 4), to: "film.bin")
        // No size: nobody knows beforehand.
        let manifest = try folder.write(
            Stock.manifest([#"{"id": "film", "kind": "ebook", "urls": ["film.bin"]}"#]).utf8, to: "m.json")

        let short = try await LarderProgram.run([
            "sync", manifest, "--library", "\(disk.path)/library", "--min-free", "32M",
        ])
        #expect(short.status == .exited(73), "\(short)")
        #expect(short.errorText.contains("--min-free"), "\(short)")
    }

    @Test(arguments: ["size is known", "length is known", "nothing is known"])
    func pausedDownloadsThatNobodyWantsGiveTheirRoom(when known: String) async throws {
        let disk = try await MountedDisk(sizeBytes: 32 << 20)
        let library = "\(disk.path)/library"
        #expect(try await sync(library, "--only", "small").status == .exited(0))
        let film = try servePausedFilm(largeSize: known == "size is known" ? #", "size": \#(large.count)"# : "")
        if known == "length is known" { server.serve("/large.bin", Resource(.bytes(large))) }
        // The wanted one is the oldest.
        let names = [film, "1.part", "2.part", "3.part", "4.part"]
        for (number, name) in names.enumerated() { try pause(name, secondsAgo: 60 - number, in: library) }
        try record(film, lengthBytes: 4 << 20, in: library)

        let run = try await LarderProgram.run([
            "sync", server.url("/manifest.json"), "--library", library, "--min-free", "8M", "--only", "large", "--json",
        ])

        #expect(run.status == .exited(0), "\(run)")
        #expect(contentDifference(large, try readFile("\(library)/current/disk/large/large.bin")) == nil)
        let left = try partials(in: library)
        #expect(left.contains(film) && left.contains("4.part"), "\(left)")
        #expect(!left.contains("1.part"), "\(left)")
        let evicted = run.events.filter { $0.name == "partial.evicted" }
        #expect(evicted.count == names.count - left.count && evicted.allSatisfy { $0["bytes"] == 4 << 20 })
        let pressure = try #require(run.events.first { $0.name == "pressure.disk" })
        #expect(pressure["free"] ?? .max < pressure["wanted"] ?? 0)
    }

    @Test(arguments: [true, false])
    func pausedDownloadsStayWhereTheirRoomIsTooLittle(isSizeKnown: Bool) async throws {
        let disk = try await MountedDisk(sizeBytes: 16 << 20)
        let library = "\(disk.path)/library"
        #expect(try await sync(library, "--only", "small").status == .exited(0))
        serveManifest(largeSize: isSizeKnown ? #", "size": \#(large.count)"# : "")
        server.serve("/large.bin", Resource(.bytes(large)))
        for name in ["1.part", "2.part"] { try pause(name, sizeBytes: 2 << 20, in: library) }

        let run = try await LarderProgram.run([
            "sync", server.url("/manifest.json"), "--library", library, "--min-free", "9M", "--only", "large", "--json",
        ])
        #expect(run.status == .exited(73), "\(run)")
        #expect(run.errorText.contains("--min-free"), "\(run)")
        #expect(try partials(in: library) == ["1.part", "2.part"])
        #expect(!run.events.contains { $0.name == "partial.evicted" })
    }

    @Test func aReadOnlyMountIsRefusedAndKeepsWhatIsPublished() async throws {
        let disk = try await MountedDisk(sizeBytes: 64 << 20)
        let library = "\(disk.path)/library"
        #expect(try await sync(library).status == .exited(0))

        try await disk.remount("ro")
        let refused = try await sync(library)
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorLines.count == 1 && refused.errorText.contains(library), "\(refused)")
        #expect(refused.errorText.contains("Read-only file system"), "\(refused)")
        #expect(contentDifference(large, try readFile("\(library)/current/disk/large/large.bin")) == nil)
    }

    /// - Parameter largeSize: how the manifest tells the size of the large file.
    private func serveManifest(largeSize: String) {
        let manifest = """
            {"format": "larder/1", "id": "disk", "serial": 1, "bundles": [
                {"id": "large", "kind": "files", "files": [{"path": "large.bin", "urls": ["large.bin"]\(largeSize)}]},
                {"id": "small", "kind": "files", "files": [{"path": "small.bin", "urls": ["small.bin"]}]}
            ]}
            """
        server.serve("/manifest.json", Resource(.bytes(Array(manifest.utf8))))
    }

    /// - Returns: what the partial file of a bundle is called that the manifest has besides.
    private func servePausedFilm(largeSize: String) throws -> String {
        let digest = "\(SHA256.digest(of: small))"
        let manifest = Stock.manifest(
            [
                #"{"id": "large", "kind": "files", "files": [{"path": "large.bin", "urls": ["large.bin"]\#(largeSize)}]}"#,
                #"{"id": "film", "kind": "ebook", "urls": ["film.bin"], "sha256": "\#(digest)"}"#,
            ], id: "disk")
        server.serve("/manifest.json", Resource(.text(manifest)))
        return "\(digest).part"
    }

    /// Leaves what a run that was stopped would have.
    private func pause(_ name: String, sizeBytes: Int = 4 << 20, secondsAgo: Int = 0, in library: String) throws {
        let path = "\(library)/.larder/partial/\(name)"
        try writeFile([UInt8](repeating: 7, count: sizeBytes), to: path)
        try setModified(path, secondsAgo: secondsAgo)
    }

    /// Without it nobody could go on with a paused download.
    private func record(_ name: String, lengthBytes: Int, in library: String) throws {
        let url = server.url("/film.bin")
        let digest = "\(SHA256.digest(of: small))"
        let record = """
            {"format": "larder-resume/1", "url": "\(url)", "finalURL": "\(url)", "entityTag": "\\"1\\"",
             "ranges": [[0, \(lengthBytes)]], "flushedBytes": 0, "boot": "", "sha256": "\(digest)"}
            """
        try writeFile(Array(record.utf8), to: "\(library)/.larder/partial/\(name).resume")
    }

    private func partials(in library: String) throws -> [String] {
        try directoryEntries(FilePathBytes("\(library)/.larder/partial")).map(\.description)
            .filter { $0.hasSuffix(".part") }
    }

    private func sync(_ library: String, _ more: String...) async throws -> ChildProcess.Result {
        let arguments = ["sync", server.url("/manifest.json"), "--library", library, "--min-free", "0"]
        return try await LarderProgram.run(arguments + more)
    }
}

extension ChildProcess.Result {
    fileprivate var errorLines: [Substring] { errorText.split(separator: "\n") }
}
