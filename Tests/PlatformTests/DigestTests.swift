import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DigestTests {
    /// FIPS 180-4 examples, and the empty message.
    private static let vectors = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test(arguments: vectors)
    func knownMessagesHaveTheirDigest(message: String, hex: String) throws {
        #expect(SHA256.digest(of: message.utf8).description == hex)
        #expect(SHA256Digest(hex: hex.uppercased())?.description == hex)

        let hasher = SHA256()
        for byte in message.utf8.prefix(100) { withUnsafeBytes(of: byte, hasher.update) }
        Array(message.utf8.dropFirst(100)).withUnsafeBytes(hasher.update)
        #expect(hasher.finalize().description == hex)
        hasher.reset()
        #expect(hasher.finalize() == SHA256.digest(of: []))
    }

    @Test(arguments: [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000])
    func aFileHasTheDigestOfItsBytes(count: Int) throws {
        let temporary = try TemporaryDirectory()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }
        try temporary.write(bytes, to: "file")
        let file = try OwnedDescriptor.open(temporary["file"], flags: O_RDONLY)
        let hasher = SHA256()
        #expect(try hasher.update(from: file) == Int64(count))
        #expect(hasher.finalize() == SHA256.digest(of: bytes))
    }

    @Test func aPrefixOfAFileCanBeHashed() throws {
        let temporary = try TemporaryDirectory()
        try temporary.write("abcdef".utf8, to: "file")
        let file = try OwnedDescriptor.open(temporary["file"], flags: O_RDONLY)
        let hasher = SHA256()
        #expect(try hasher.update(from: file, lengthBytes: 3) == 3)
        #expect(hasher.finalize() == SHA256.digest(of: "abc".utf8))
        hasher.reset()
        #expect(try hasher.update(from: file, lengthBytes: 100) == 6)
    }

    @Test(arguments: [
        "", "0", String(repeating: "0", count: 63), String(repeating: "g", count: 64),
        String(repeating: "0", count: 65), String(repeating: "é", count: 32),
    ])
    func whatIsNoDigestIsRefused(text: String) { #expect(SHA256Digest(hex: text) == nil) }

    /// Digits are read eight at a time; each byte counts for itself all the same, wherever it stands.
    @Test func everyByteIsADigitOrIsRefused() {
        for place in [0, 7, 8, 63] {
            for byte in UInt8(0)...0x7F {
                var text = Array("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef".utf8)
                text[place] = byte
                let isDigit = "0123456789abcdef".utf8.contains(byte)
                let digest = SHA256Digest(lowercaseHexDigits: text.span.bytes)
                #expect((digest != nil) == isDigit, "\(byte) at \(place)")
                #expect(digest == nil || digest?.description.utf8.elementsEqual(text) == true)
                let isCapital = "ABCDEF".utf8.contains(byte)
                let either = SHA256Digest(hex: String(decoding: text, as: UTF8.self))
                #expect((either != nil) == (isDigit || isCapital), "\(byte) at \(place)")
            }
        }
    }
}
