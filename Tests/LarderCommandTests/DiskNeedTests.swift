import FaultServer
import Glibc
import Jobs
import Platform
import TestSupport
import Testing

/// What a dry run tells of the disk, and what the run then takes: measured at every event of it.
@Suite struct DiskNeedTests {
    private let stock: Stock

    init() throws { stock = try Stock() }

    private var options: RunOptions {
        get throws {
            var options = RunOptions(
                libraryPath: stock.library, manifests: [try ManifestLocation(stock.manifestURL)])
            options.minimumFree = .bytes(0)
            return options
        }
    }

    private func told() async throws -> DryRun.Report {
        await DryRun(try options, control: RunControl()) { _ in }.run()
    }

    /// The most that the library held at any event of a run, besides what it held before.
    private func measured() async throws -> Int64 {
        let library = stock.library
        let before = diskBytes(library)
        let peak = Watched(Int64(0))
        let run = await SyncRun(try options, control: RunControl()) { _ in
            let now = diskBytes(library)
            peak.update { $0 = max($0, now - before) }
        }.run()
        #expect(run.exit == .success)
        return peak.now
    }

    private func files(_ id: String, _ seeds: [UInt64], bytes: UInt64 = 300_000) -> String {
        let files = seeds.map { seed in
            let content = Content.pattern(lengthBytes: bytes, seed: seed)
            stock.server.serve("/\(seed).bin", Resource(content))
            return
                #"{"path": "set/\#(seed % 3)/\#(seed)", "urls": ["\#(seed).bin"], "size": \#(bytes), "sha256": "\#(content.sha256)"}"#
        }
        return #"{"id": "\#(id)", "kind": "files", "files": [\#(files.joined(separator: ", "))]}"#
    }

    @Test func whatIsToldIsKeptTo() async throws {
        let book = Content.pattern(lengthBytes: 2_000_000, seed: 100)
        stock.server.serve("/book.pdf", Resource(book))
        let packed = storedZip(["one": book.bytes(), "two": book.bytes()])
        stock.serveManifest([
            files("many", Array(1...20)),
            #"{"id": "book", "kind": "ebook", "urls": ["book.pdf"], "size": 2000000, "sha256": "\#(book.sha256)"}"#,
            stock.archive(
                "zip", packed,
                more: #""size": \#(packed.count), "unpack": {"limits": {"bytes": 4000000, "entries": 2}},"#),
        ])
        let told = try await told()
        #expect(told.unboundedBundles.isEmpty)
        let peak = try await measured()
        #expect(peak <= told.peakBytes, "it took \(peak), and \(told.peakBytes) had been told")
        // The archive, what it unpacks to, the book and the files; a figure that is always kept to, but tells nothing, would be easy.
        let content: Int64 = 20 * 300_000 + 2_000_000 + 2 * 4_000_000
        #expect(told.peakBytes - content < 2 << 20, "\(told.peakBytes)")
        #expect(peak > content - 4_000_000, "measured at the wrong moments: \(peak)")
    }

    @Test func whatIsSharedWithTheOldVersionTakesNoRoom() async throws {
        stock.serveManifest([files("many", Array(1...20))])
        _ = try await measured()
        stock.serveManifest([files("many", Array(1...19) + [21])], serial: 2)
        let told = try await told()
        let peak = try await measured()
        #expect(peak <= told.peakBytes && told.peakBytes < 300_000 + 2 << 20, "\(peak) of \(told.peakBytes)")
    }

    @Test func ofJoinedSegmentsFewAreThereBesideTheFile() async throws {
        let segments = (UInt64(1)...40).map { seed in
            let content = Content.pattern(lengthBytes: 200_000, seed: seed)
            stock.server.serve("/\(seed).ts", Resource(content))
            return
                #"{"path": "\#(seed).ts", "urls": ["\#(seed).ts"], "size": 200000, "sha256": "\#(content.sha256)", "duration": 2}"#
        }
        stock.serveManifest([
            #"{"id": "radio", "kind": "segments", "join": "radio.ts", "segments": [\#(segments.joined(separator: ", "))]}"#
        ])
        let told = try await told()
        let peak = try await measured()
        #expect(told.unboundedBundles.isEmpty && peak <= told.peakBytes, "\(peak) of \(told.peakBytes)")
    }

    @Test func whatNobodyCanKnowIsNamed() async throws {
        stock.serveManifest([
            stock.archive("zip", storedZip(["x": [1, 2, 3]])), files("known", [1]),
            stock.file("bare", .pattern(lengthBytes: 10, seed: 5), hasDigest: false),
        ])
        #expect(try await told().unboundedBundles.sorted() == ["m/bare", "m/zip"])
        let text = try await stock.sync("--dry-run").outputText
        #expect(text.contains("and what nobody knows beforehand for m/"), "\(text)")
        let event = try #require(
            try await stock.sync("--dry-run", "--json").events.first { $0.name == "run.planned" })
        #expect(event.value["unbounded"]?.elements.compactMap(\.string).sorted() == ["m/bare", "m/zip"])
        #expect(event["peakBytes"] ?? 0 > 300_000 && event["bytes"] ?? 0 >= 300_000)
    }
}

/// What the disk holds for a tree, each file once however many names it has. What goes meanwhile isn't counted.
private func diskBytes(_ path: String) -> Int64 {
    var bytes: Int64 = 0
    var seen: Set<ino_t> = []
    var pending = [path]
    while let path = pending.popLast() {
        var status = stat()
        guard lstat(path, &status) == 0, seen.insert(status.st_ino).inserted else { continue }
        bytes += Int64(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { continue }
        pending += ((try? directoryEntries(FilePathBytes(path))) ?? []).map { "\(path)/\($0)" }
    }
    return bytes
}
