import Platform
import TestSupport
import Testing

@testable import Archives

/// Files that an earlier unpacking has made of the same bytes are taken, and of no others.
@Suite("What an unpacking leaves to the next one")
struct EntryJournalTests {
    private typealias Note = (proof: EntryProof, path: RelativePath, digest: SHA256Digest)

    /// Stored and deflated, small and larger than what is inflated as a whole.
    private let entries: [ZipBuilder.Entry]

    init() async throws {
        var entries = [
            ZipBuilder.Entry("small", deterministicBytes(10_000, seed: 1)),
            ZipBuilder.Entry("large", deterministicBytes(5_000_000, seed: 2)),
        ]
        for (name, content) in entries.map({ ("packed \(String(decoding: $0.name, as: UTF8.self))", $0.content) }) {
            var entry = ZipBuilder.Entry(name, content)
            entry.data = try await Array(gzip(content, "--no-name", "-1").dropFirst(10).dropLast(8))
            entry.method = ZipMethod.deflate
            entries.append(entry)
        }
        self.entries = entries
    }

    private func observer(
        taking take: @escaping @Sendable (EntryProof, RelativePath) -> SHA256Digest?, notes: Locked<[Note]>
    ) -> UnpackObserver {
        var observer = UnpackObserver()
        observer.journal = EntryJournal(
            mayHold: { _ in true }, take: take,
            note: { proof, path, digest in notes.withLock { $0.append((proof, path, digest)) } })
        return observer
    }

    private func notes(unpacking entries: [ZipBuilder.Entry]) throws -> [Note] {
        let notes = Locked<[Note]>([])
        let observer = observer(taking: { _, _ in nil }, notes: notes)
        _ = try Unpacking(ZipBuilder(entries).build(), observer: observer).outcome.get()
        return notes.withLock { $0 }
    }

    @Test("Each file is noted once it is complete, with the digest of the bytes that it was made of")
    func noted() throws {
        let notes = try notes(unpacking: entries)
        #expect(Set(notes.map(\.path.bytes)) == Set(entries.map(\.name)))
        for entry in entries {
            let note = try #require(notes.first { $0.path.bytes == entry.name })
            #expect(note.proof.packedDigest == SHA256.digest(of: entry.data ?? entry.content))
            #expect(note.digest == SHA256.digest(of: entry.content))
            #expect(EntryProof(note.proof.text) == note.proof)
        }
    }

    @Test("A file that is taken isn't made again, and gets the mode and the time that the archive gives")
    func taken() throws {
        var executable = entries
        for index in executable.indices { executable[index].mode = 0o100755 }
        let known = try notes(unpacking: entries)
        let (scratch, made) = (try Scratch(), Locked<[Note]>([]))
        let observer = observer(
            taking: { [target = scratch.target] proof, path in
                guard let note = known.first(where: { $0.proof == proof }), path != "small" else { return nil }
                try? target.replaceFile(path, with: Array("taken".utf8), mode: 0o600, flush: false)
                return note.digest
            }, notes: made)
        let summary = try Unpacker(source: MemorySource(ZipBuilder(executable).build()))
            .unpack(into: scratch.target, observer: observer)
        #expect(summary.files == 4)
        #expect(made.withLock { $0 }.map(\.path) == ["small"])
        for (path, item) in try scratch.tree() where path != "small" {
            #expect(item.kind == .file(Array("taken".utf8)), "\(path)")
            #expect(item.status.mode == 0o755)
            // The entries' date in the local time zone, whichever that is.
            #expect(item.status.modified.seconds < 1_800_000_000)
        }
    }

    @Test("Other bytes are no proof, even where lengths and CRC-32 are the same")
    func otherBytes() throws {
        let known = try notes(unpacking: entries)
        let asked = Locked<[EntryProof]>([])
        for index in entries.indices {
            var entry = entries[index]
            var data = entry.data ?? entry.content
            data[data.count / 2] ^= 1
            (entry.data, entry.crc) = (data, crcValue(entry.content))
            let observer = observer(
                taking: { proof, _ in
                    asked.withLock { $0.append(proof) }
                    return known.first { $0.proof == proof }?.digest
                }, notes: Locked([]))
            let error = try Unpacking(ZipBuilder([entry]).build(), observer: observer).error
            #expect(error?.code == .corrupted)
        }
        #expect(
            asked.withLock { $0.map(\.outline) }
                == entries.map { entry in
                    known.first { $0.path.bytes == entry.name }?.proof.outline
                })
    }

    @Test(
        "What is no proof is none",
        arguments: [
            "", "http://localhost/a.zip", "zip-entry:8:1:2:3", "zip-entry:8:1:2:3:abc", "zip-entry:8:-1:2:3:\(digest)",
            "zip-entry:8:1:2:3:\(digest):", "Zip-entry:8:1:2:3:\(digest)",
        ])
    func unreadableProof(_ text: String) { #expect(EntryProof(text) == nil) }

    private static let digest = SHA256.digest(of: "x".utf8)
}
