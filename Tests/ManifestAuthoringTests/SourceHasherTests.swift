import Platform
import Testing

@testable import ManifestAuthoring

/// When what was fetched is what a list means.
@Suite struct SourceHasherTests {
    private static let digest = SHA256.digest(of: "a".utf8)

    private func judged(
        _ listed: [DigestAlgorithm: [UInt8]], taken: [DigestAlgorithm: [UInt8]]
    ) throws -> String? {
        let file = ImportedFile(
            path: "a", urls: ["http://a.example/a"], local: nil, otherDigests: listed, notes: [], place: "list:1")
        switch SourceHasher.judged(1, Self.digest, taken, file, "it") {
        case .success: return nil
        case .failure(.wrong(let why)): return why
        case .failure(let other): throw other
        }
    }

    /// Where only approved algorithms are allowed libcrypto offers no MD5.
    @Test func aDigestThatCanNotBeTakenHereProvesNothing() throws {
        let (right, wrong) = ([UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 20))
        #expect(try judged([:], taken: [:]) == nil)
        #expect(try judged([.md5: [1]], taken: [:])?.hasPrefix("it: libcrypto here offers no md5") == true)
        #expect(try judged([.md5: [1], .sha1: right], taken: [.sha1: right]) == nil)
        #expect(try judged([.md5: [1], .sha1: wrong], taken: [.sha1: right])?.contains("has the sha-1") == true)
    }
}
