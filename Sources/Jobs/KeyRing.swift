import BundleManifest
import Platform

/// The keys of a presentation whose segments are stored in the clear. They are held in memory alone.
final class KeyRing: Sendable {
    private let fetcher: SourceFetcher
    private let placing: JobQueue
    private let source: @Sendable (String) -> SourceFile
    private let keys = Locked<[String: [UInt8]]>([:])

    /// A key has 16 bytes; what comes instead may say why.
    private static let limitBytes = 1 << 20

    /// - Parameter source: where a URL's key may be had.
    init(_ fetcher: SourceFetcher, placing: JobQueue, source: @escaping @Sendable (String) -> SourceFile) {
        (self.fetcher, self.placing, self.source) = (fetcher, placing, source)
    }

    /// Those who ask for the same one at once share a download.
    func key(at url: String) async throws(BundleFailure) -> [UInt8] {
        if let known = keys.withLock({ $0[url] }) { return known }
        let file = try await fetcher.fetchUnasked(source(url), limitBytes: Self.limitBytes)
        let key = try await placing.attempt { () throws(BundleFailure) in
            defer { file.discard() }
            return try file.bytes(limitBytes: Self.limitBytes)
        }
        guard key.count == AES128CBC.blockBytes else {
            throw BundleFailure(.implausibleMedia, "the key is not 16 bytes long", url: shownURL(url))
        }
        keys.withLock { $0[url] = key }
        return key
    }
}
