import BundleManifest
import ContentLibrary
import Glibc
import Platform

/// Joins the segments of a bundle into one file, in their order, as they come: beside the file there are only the few that came before their turn.
/// It goes on where a run that was cut short had come to, and takes what the library has of it from there.
struct JoinJob: Sendable {
    let sources: [BundleSource]
    let name: RelativePath
    let staging: Staging
    /// What runs that were cut short had brought.
    let salvage: Salvage?
    /// Content whose unchanged segments needn't be fetched.
    let previous: StoredContent?
    let fetcher: SourceFetcher
    let placing: JobQueue
    let slots: RequestSlots
    var progress: SegmentProgress?

    /// How far those that are fetched may be ahead of the one whose turn it is.
    private static let window = 32

    /// - Throws: after what was begun has ended; what was joined stays in staging, noted there.
    func run() async throws(BundleFailure) -> (digest: SHA256Digest, sources: [Receipt.Source]) {
        let output = try await begin()
        let stored = await placing.run { [previous, name] in previous.flatMap { StoredSegments($0, name) } }
        try await appendRest(to: output, stored)
        return await placing.run { output.finish() }
    }

    /// Whether every segment still is what the content was made of, as its digest or its server tells.
    func isUnchanged(since receipt: Receipt) async throws(BundleFailure) -> Bool {
        guard receipt.sources.count == sources.count, zip(receipt.sources, sources).allSatisfy({ mayBe($0, $1.file) })
        else { return false }
        return try await unchangedCount(of: receipt.sources[...]) == sources.count
    }

    // MARK: What was joined before

    private func begin() async throws(BundleFailure) -> JoinedOutput {
        guard let joined = salvage?.joinedFile(at: name) else {
            return try await onDisk { [staging, name] () throws(SystemError) in
                if let parent = name.parent { try staging.directory.makeDirectories(parent) }
                let file = try staging.directory.open(name, flags: O_RDWR | O_CREAT | O_EXCL)
                return try JoinedOutput(file, holding: [])
            }
        }
        let intact = try await onDisk { () throws(SystemError) in try intactCount(of: joined) }
        // Where a stop cut that short, all of it is left to the next run.
        if fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped") }
        let kept = try await unchangedCount(of: joined.sources.prefix(intact))
        return try await onDisk { [staging, fetcher] () throws(SystemError) in
            try joined.move(to: staging, keeping: kept)
            let sources = Array(joined.sources.prefix(kept))
            let output = try JoinedOutput(joined.file, holding: sources)
            fetcher.limits.note(salvaged: sources.reduce(0) { $0 &+ $1.sizeBytes })
            for (held, wanted) in zip(sources, self.sources) { progress?.note(held.sizeBytes, wanted.duration) }
            return output
        }
    }

    private func onDisk<Success: Sendable>(
        _ body: @escaping @Sendable () throws(SystemError) -> Success
    ) async throws(BundleFailure) -> Success {
        do throws(SystemError) { return try await placing.attempt(body) } catch { throw BundleFailure(error) }
    }

    /// How many of the segments at its front are what the manifest asks for, as far as that can be told here.
    private func intactCount(of joined: JoinedSalvage) throws(SystemError) -> Int {
        var offset: Int64 = 0
        for (index, (wanted, held)) in zip(sources, joined.sources).enumerated() {
            guard mayBe(held, wanted.file) else { return index }
            guard try holds(held, joined.file, at: offset) else { return index }
            // Of a file that is there: its length fits.
            offset &+= held.sizeBytes
        }
        return min(sources.count, joined.sources.count)
    }

    /// Whether a segment stands there; a stop makes that unknown, and then it is false.
    private func holds(_ segment: Receipt.Source, _ file: OwnedDescriptor, at offset: Int64) throws(SystemError) -> Bool
    {
        let hasher = SHA256()
        let count = try hasher.update(from: file, at: offset, lengthBytes: segment.sizeBytes) {
            fetcher.control.reason != nil
        }
        return count == segment.sizeBytes && hasher.finalize() == segment.sha256
    }

    private func mayBe(_ held: Receipt.Source, _ wanted: SourceFile) -> Bool {
        guard held.sizeBytes >= 0 else { return false }
        if let digest = wanted.digest { return digest == held.sha256 }
        return held.validator != nil && held.url == fetcher.name(of: wanted)
    }

    /// How many of the segments at the front still are what their servers have; the ones with a digest are, anyway.
    private func unchangedCount(of held: ArraySlice<Receipt.Source>) async throws(BundleFailure) -> Int {
        let undigested = held.indices.filter { sources[$0].file.digest == nil }
        var changed = held.count
        var failure: BundleFailure?
        await TaskWindow.run(undigested.count, width: Self.window) { number in
            await outcome { () throws(BundleFailure) in
                try await isUnchanged(undigested[number], held[undigested[number]])
            }
        } take: { number, result in
            switch result {
            case .success(let isUnchanged): if !isUnchanged { changed = min(changed, undigested[number]) }
            case .failure(let error): failure = failure ?? error
            }
            return failure == nil
        }
        if let failure { throw failure }
        return changed
    }

    private func isUnchanged(_ index: Int, _ held: Receipt.Source) async throws(BundleFailure) -> Bool {
        let file = try await slots.withSlot { () throws(BundleFailure) in
            try await fetcher.fetch(sources[index].file, .init(validator: held.validator))
        }
        // What came instead needn't be fetched again when its turn comes.
        file?.keep()
        return file == nil
    }

    // MARK: The rest

    /// A segment that is here, and waits for its turn.
    private struct Piece: Sendable {
        let source: Receipt.Source
        let descriptor: OwnedDescriptor
        let offset: Int64
        /// What was fetched; nil for what the library has.
        let fetched: FetchedFile?
    }

    private func appendRest(to output: JoinedOutput, _ stored: StoredSegments?) async throws(BundleFailure) {
        // What an earlier run had joined.
        let joined = output.count
        var failure: BundleFailure?
        var waiting: [Int: Piece] = [:]
        await TaskWindow.run(sources.count - joined, width: Self.window) { number in
            joined + number - output.count < Self.window
        } _: { number in
            await outcome { () throws(BundleFailure) in
                try await slots.withSlot { () throws(BundleFailure) in try await piece(sources[joined + number], stored)
                }
            }
        } take: { number, result in
            let index = joined + number
            switch result {
            case .success(let piece):
                waiting[index] = piece
                // Whoever has to wait may see the end of this run.
                if index != output.count { piece.fetched?.keep() }
            case .failure(let error): failure = failure ?? error
            }
            do throws(BundleFailure) {
                while let piece = waiting.removeValue(forKey: output.count) { try await append(piece, to: output) }
            } catch {
                failure = failure ?? error
            }
            return failure == nil
        }
        for piece in waiting.values { piece.fetched?.keep() }
        if let failure { throw failure }
    }

    private func append(_ piece: Piece, to output: JoinedOutput) async throws(BundleFailure) {
        do throws(BundleFailure) {
            try await onDisk { [staging, name, fetcher] () throws(SystemError) in
                try output.append(piece.source, from: piece.descriptor, at: piece.offset)
                try staging.note(piece.source, at: name)
                fetcher.limits.note(written: piece.source.sizeBytes)
            }
        } catch {
            piece.fetched?.keep()
            throw error
        }
        piece.fetched?.discard()
        progress?.note(piece.source.sizeBytes, sources[output.count - 1].duration)
    }

    private func piece(_ source: BundleSource, _ stored: StoredSegments?) async throws(BundleFailure) -> Piece {
        if let digest = source.file.digest {
            if let known = await intact(stored?.byDigest[digest], stored) { return known }
        } else if let held = stored?.byURL[fetcher.name(of: source.file)], let validator = held.source.validator {
            if let file = try await fetcher.fetch(source.file, .unless(validator: validator)) {
                return try fetched(file, source)
            }
            if let known = await intact(held, stored) { return known }
        }
        return try fetched(try await fetcher.fetchUnasked(source.file), source)
    }

    private func fetched(_ file: FetchedFile, _ source: BundleSource) throws(BundleFailure) -> Piece {
        if source.file.digest == nil { try file.refuseHTMLPage(insteadOf: .file(named: source.path ?? "\(name)")) }
        return Piece(
            source: fetcher.receiptSource(source.file, file), descriptor: file.descriptor, offset: 0, fetched: file)
    }

    /// What the library has of a segment, unless it was damaged there.
    private func intact(_ held: StoredSegments.Segment?, _ stored: StoredSegments?) async -> Piece? {
        guard let held, let stored else { return nil }
        let isIntact = await placing.run { (try? holds(held.source, stored.file, at: held.offset)) ?? false }
        guard isIntact else { return nil }
        return Piece(source: held.source, descriptor: stored.file, offset: held.offset, fetched: nil)
    }
}

/// The segments in a joined file that the library has.
private struct StoredSegments: Sendable {
    struct Segment: Sendable {
        let source: Receipt.Source
        let offset: Int64
    }

    let file: OwnedDescriptor
    let byDigest: [SHA256Digest: Segment]
    let byURL: [String: Segment]

    /// Nil where content is no such file.
    init?(_ content: StoredContent, _ name: RelativePath) {
        guard let receipt = try? content.receipt(), receipt.entries.map(\.path) == [name],
            let file = try? content.open().open(name, flags: O_RDONLY | O_NONBLOCK)
        else { return nil }
        var segments: [Segment] = []
        var offset: Int64 = 0
        for source in receipt.sources {
            guard source.sizeBytes >= 0 else { return nil }
            segments.append(Segment(source: source, offset: offset))
            let (next, overflow) = offset.addingReportingOverflow(source.sizeBytes)
            if overflow { return nil }
            offset = next
        }
        guard offset == receipt.header.contentBytes else { return nil }
        self.file = file
        byDigest = Dictionary(segments.map { ($0.source.sha256, $0) }, uniquingKeysWith: { first, _ in first })
        byURL = Dictionary(segments.map { ($0.source.url, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
