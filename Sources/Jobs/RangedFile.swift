import BundleManifest
import ContentLibrary
import Platform
import Playlists

/// A file of which a presentation names ranges. Ranges that touch each other are fetched together, up to a bound: then no more than a part of the file
/// lies on the disk twice, each part can be resumed, and where the ranges are all of the file it costs a few requests instead of one for each.
/// Ranges of which the library has the same version aren't fetched again. A server that doesn't do ranges is asked for the whole, once.
struct RangedFile: Sendable {
    private let sources: [BundleSource]
    private let placer: FilePlacer

    /// - Parameter sources: each with a range; of one file.
    init(_ sources: [BundleSource], _ placer: FilePlacer) {
        self.sources = sources
        self.placer = placer
    }

    /// Places them one after the other; after a failure nothing more is asked for.
    /// - Returns: for each what became of it.
    func place() async -> [Result<FileSetJob.Placed, BundleFailure>] {
        var placed: [FileSetJob.Placed?] = Array(repeating: nil, count: sources.count)
        do throws(BundleFailure) {
            try await placeAll(&placed)
            return placed.map { $0.map { .success($0) } ?? .failure(BundleFailure(.incomplete, "it wasn't fetched")) }
        } catch {
            return placed.map { [error] file in file.map { .success($0) } ?? .failure(error) }
        }
    }

    private func placeAll(_ placed: inout [FileSetJob.Placed?]) async throws(BundleFailure) {
        var version = Version()
        var file = try await takeHeld(&placed, &version)
        let missing = placed.indices.filter { placed[$0] == nil }
        let parts = RangeParts(missing.compactMap { sources[$0].byteRange })
        guard parts.isReasonable else {
            throw BundleFailure(
                .playlistRefused, "the playlist names the same bytes of a file again and again",
                url: shownURL(sources[0].file.urls[0].text))
        }
        for part in parts.parts {
            if file?.holds(part.range) != true {
                file?.discard()
                file = nil
                for number in part.members { try await placer.askForKey(of: sources[missing[number]]) }
                let fetched = try await fetch(part.range)
                try check(fetched, part.range, &version)
                file = fetched
            }
            guard let file else { continue }
            do throws(BundleFailure) {
                for number in part.members { try await store(missing[number], of: file, &placed) }
            } catch {
                file.keep()
                throw error
            }
        }
        file?.discard()
    }

    private func fetch(_ range: ByteRange) async throws(BundleFailure) -> FetchedFile {
        do throws(BundleFailure) { return try await placer.fetcher.fetchUnasked(sources[0].file, part: range) } catch {
            guard error.code == .sizeMismatch else { throw error }
            throw BundleFailure(
                .playlistRefused, "the playlist names bytes that the file doesn't have: \(error.message)",
                url: error.url)
        }
    }

    /// What is known of the version that all parts must be of.
    private struct Version {
        /// What the first server calls it.
        var validator: String?
        /// How long the file is: all that is told of it where there is no validator.
        var wholeBytes: Int64?

        /// Notes what a part says.
        /// - Returns: whether it may be of this version.
        mutating func take(_ file: FetchedFile) -> Bool {
            if let validator, let now = file.validator, validator != now { return false }
            if let wholeBytes, let now = file.wholeBytes, wholeBytes != now { return false }
            validator = validator ?? file.validator
            wholeBytes = wholeBytes ?? file.wholeBytes
            return true
        }
    }

    /// All parts must be of one version.
    private func check(
        _ file: FetchedFile, _ range: ByteRange, _ version: inout Version
    ) throws(BundleFailure) {
        guard file.holds(range) else {
            file.discard()
            throw BundleFailure(
                .playlistRefused,
                "the playlist names bytes \(range.offset) to \(range.end - 1) of a file of \(file.start + file.sizeBytes) bytes",
                url: file.url)
        }
        guard version.take(file) else {
            file.discard()
            throw BundleFailure(.downloadFailed, "the file changed on its server while it was fetched", url: file.url)
        }
    }

    private func store(
        _ index: Int, of file: FetchedFile, _ placed: inout [FileSetJob.Placed?]
    ) async throws(BundleFailure) {
        if placer.fetcher.control.reason != nil { throw BundleFailure(.paused, "stopped") }
        note(try await placer.store(sources[index], of: file, at: try path(sources[index].path ?? "")), index, &placed)
    }

    private func note(_ file: FileSetJob.Placed, _ index: Int, _ placed: inout [FileSetJob.Placed?]) {
        placed[index] = file
        placer.note(file, of: sources[index])
    }

    /// Takes what is here already, if it still is what the server has: one question for all of one version.
    /// - Returns: what the server sent instead.
    private func takeHeld(
        _ placed: inout [FileSetJob.Placed?], _ version: inout Version
    ) async throws(BundleFailure) -> FetchedFile? {
        let held = sources.map(placer.held)
        var fetched: FetchedFile?
        if let index = held.firstIndex(where: { $0?.isTrusted == false && $0?.held.validator != nil }) {
            let known = held[index]?.held.validator
            let answer = try await placer.fetcher.fetch(
                sources[index].file, .init(validator: known), part: sources[index].byteRange)
            if let file = answer {
                fetched = file
                if let range = sources[index].byteRange { try check(file, range, &version) }
                try await store(index, of: file, &placed)
            } else {
                version.validator = known
            }
        }
        do throws(BundleFailure) {
            for (index, candidate) in held.enumerated() where placed[index] == nil {
                guard let candidate,
                    candidate.isTrusted
                        || (version.validator != nil && candidate.held.validator == version.validator)
                else { continue }
                if let file = try await placer.take(candidate.held, at: try path(sources[index].path ?? "")) {
                    note(file, index, &placed)
                }
            }
        } catch {
            fetched?.keep()
            throw error
        }
        return fetched
    }
}
