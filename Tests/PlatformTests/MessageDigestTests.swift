import Platform
import TestSupport
import Testing

@Suite struct MessageDigestTests {
    /// Of "abc": RFC 1321 A.5, FIPS 180-4's examples.
    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func knownDigests(algorithm: DigestAlgorithm, hex: String) throws {
        let directory = try TemporaryDirectory()
        let file = try OwnedDescriptor.openRegularFile(try directory.write("abc".utf8, to: "abc"))
        let read = try #require(
            try MessageDigest.digests(of: file, by: [algorithm, .sha512], isStopped: { false }))
        #expect(read.sizeBytes == 3 && read.digests.count == 2)
        let digits = try #require(read.digests[algorithm]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == hex)
        #expect(try MessageDigest.digests(of: file, by: [algorithm], isStopped: { true }) == nil)
    }

    @Test(arguments: [("SHA-256", DigestAlgorithm.sha256), ("sha256", .sha256), ("MD5", .md5), ("sha-1", .sha1)])
    func namesAreReadAsAnybodyWritesThem(name: String, algorithm: DigestAlgorithm) {
        #expect(DigestAlgorithm(named: name) == algorithm)
        #expect(DigestAlgorithm(named: name + "x") == nil)
    }
}
