import TestSupport
import Testing

/// Origins that are damaged, one way each: what Larder can see isn't published, and what nobody could see there shows when the copy is compared.
@Suite struct DamagedOriginTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is copied: of the three presentations in the corpus.
        let entry: String
        /// What is said of it; nil where nobody can know.
        let complaint: String?
        let damage: @Sendable (TemporaryDirectory) throws -> Void

        init(
            _ testDescription: String, _ entry: String, _ complaint: String? = nil,
            damage: @escaping @Sendable (TemporaryDirectory) throws -> Void
        ) {
            (self.testDescription, self.entry, self.complaint) = (testDescription, entry, complaint)
            self.damage = damage
        }
    }

    private static let clear = "a/hi/index.m3u8"
    private static let ranges = "b/v0/index.m3u8"
    private static let encrypted = "c/v/index.m3u8"

    static let seen = [
        Damage("a missing segment", clear, "404") { tree in removeTree(FilePathBytes(tree["a/hi/seg_002.ts"])) },
        Damage("an empty segment", clear, "empty") { try $0.write([], to: "a/hi/seg_002.ts") },
        Damage("a page instead of a segment", clear, "HTML") { tree in
            try tree.write("<!DOCTYPE html><html><p>Log in".utf8, to: "a/hi/seg_002.ts")
        },
        Damage("something else instead of a segment", clear, "neither MPEG-TS") { tree in
            try tree.write(deterministicBytes(30_000, seed: 1), to: "a/hi/seg_002.ts")
        },
        Damage("a segment that lost its first bytes", clear, "neither MPEG-TS") { tree in
            try tree.edit("a/hi/seg_002.ts") { $0.removeFirst(100) }
        },
        Damage("a short file of ranges", ranges, "names bytes") { tree in
            try tree.edit("b/v0/media.mp4") { $0.removeLast(1) }
        },
        Damage("a file of ranges with some bytes more in front", ranges, "box") { tree in
            try tree.edit("b/v0/media.mp4") { $0.insert(contentsOf: [0, 0, 0, 0], at: 2000) }
        },
        Damage("a missing key", encrypted, "404") { removeTree(FilePathBytes($0["c/keys/k2.key"])) },
        Damage("a wrong key", encrypted, "decrypt") { try $0.edit("c/keys/k2.key") { $0[7] ^= 1 } },
        Damage("a short key", encrypted, "16 bytes") { try $0.edit("c/keys/k2.key") { $0.removeLast() } },
        Damage("a cut block", encrypted, "blocks of 16") { try $0.edit("c/v/s7796.ts") { $0.removeLast(5) } },
        Damage("missing blocks", encrypted, "decrypt") { try $0.edit("c/v/s7796.ts") { $0.removeLast(160) } },
        Damage("swapped segments, whose vectors are their numbers", encrypted, "decrypt") { tree in
            try tree.swap("c/v/s7794.ts", "c/v/s7795.ts")
        },
    ]

    static let unseen = [
        Damage("a segment with fewer packets", clear) { tree in
            try tree.edit("a/hi/seg_002.ts") { $0.removeLast(188 * 20) }
        },
        Damage("swapped segments", clear) { try $0.swap("a/hi/seg_001.ts", "a/hi/seg_002.ts") },
        Damage("a flipped bit", clear) { tree in
            try tree.edit("a/hi/seg_002.ts") { $0[$0.count / 2] ^= 1 }
        },
        Damage("a flipped bit of what is encrypted", encrypted) { tree in
            try tree.edit("c/v/s7796.ts") { $0[$0.count / 2] ^= 1 }
        },
        Damage("swapped segments with one vector", encrypted) { try $0.swap("c/v/s7796.ts", "c/v/s7797.ts") },
    ]

    private func published(_ damage: (TemporaryDirectory) throws -> Void) async throws -> PublishedPresentation {
        let tree = try TemporaryDirectory()
        let copied = try await ChildProcess.run("cp", ["--recursive", mediaFolder + "/.", tree.path])
        try #require(copied.status == .exited(0), "\(copied)")
        try damage(tree)
        return try await PublishedPresentation(tree: tree)
    }

    @Test(arguments: seen)
    func whatCanBeSeenIsNotPublished(_ damage: Damage) async throws {
        let published = try await published(damage.damage)
        let run = try await published.sync(damage.entry)
        #expect(run.status == .exited(1))
        let complaint = try #require(damage.complaint)
        #expect(run.problems.first?.contains(complaint) == true, "\(run)")
        #expect(!published.isPublished)
    }

    @Test(arguments: unseen)
    func whatNobodyCanSeeShowsWhenItIsCompared(_ damage: Damage) async throws {
        let published = try await published(damage.damage)
        let run = try await published.sync(damage.entry)
        #expect(run.status == .exited(0), "\(run)")
        let intact = try await MediaPlayer.frames(
            of: "\(mediaFolder)/\(damage.entry)".replacing("c/v/", with: "c/clear/"), isOffline: true)
        // A player may also refuse it.
        let played = try? await MediaPlayer.frames(of: published.copy + "/index.m3u8", isOffline: true)
        #expect(played != intact)
    }

    /// What the comparisons would be worth nothing without.
    @Test(arguments: [clear, encrypted])
    func withoutDamageNothingShows(entry: String) async throws {
        let published = try await published { _ in }
        #expect(try await published.sync(entry).status == .exited(0))
        let intact = try await MediaPlayer.frames(
            of: "\(mediaFolder)/\(entry)".replacing("c/v/", with: "c/clear/"), isOffline: true)
        #expect(try await MediaPlayer.frames(of: published.copy + "/index.m3u8", isOffline: true) == intact)
    }
}

extension TemporaryDirectory {
    fileprivate func edit(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try read(path)
        body(&bytes)
        try write(bytes, to: path)
    }

    fileprivate func swap(_ left: String, _ right: String) throws {
        let (first, second) = (try read(left), try read(right))
        try write(first, to: right)
        try write(second, to: left)
    }
}
