import BundleManifest
import Platform
import Testing

/// What is taken for a signature, and of what.
@Suite struct MinisignSignatureTests {
    private static let seed = [UInt8](0..<32)
    private static let id = MinisignKeyID([1, 2, 3, 4, 5, 6, 7, 0])
    private static let file = Array("{}".utf8)

    private static func key(_ id: MinisignKeyID = id, seed: [UInt8] = seed) throws -> MinisignPublicKey {
        let point = try Ed25519.publicKey(ofSeed: seed)
        return try MinisignPublicKey(Base64.text(of: Array("Ed".utf8) + id.bytes + point))
    }

    /// - Parameter signed: what the first signature is of; nil: the file's digest.
    private static func signature(
        _ algorithm: MinisignSignature.Algorithm = .digest, of signed: [UInt8]? = nil,
        comment: String = "timestamp:1\tfile:m.json"
    ) throws -> MinisignSignature {
        let signature = try Ed25519.signature(of: signed ?? BLAKE2b.digest(of: file), seed: seed)
        let second = try Ed25519.signature(of: signature + Array(comment.utf8), seed: seed)
        return MinisignSignature(
            algorithm: algorithm, keyID: id, untrustedComment: "anything", trustedComment: comment,
            signature: signature, commentSignature: second)
    }

    @Test func aSignatureIsReadAsItIsWritten() throws {
        let signature = try Self.signature()
        #expect(try MinisignSignature(Array(signature.text.utf8)) == signature)
        #expect(try MinisignSignature(Array(signature.text.replacing("\n", with: "\r\n").utf8)) == signature)
        #expect(try signature.verify(Self.file, called: "m.json", by: [Self.key()]) == Self.key())
        #expect(Self.id.description == "7060504030201")
    }

    /// A digest is a text of 64 bytes as well: a signature of one file must not pass for one of the file that is the digest of it.
    @Test func aSignatureOfADigestIsNoneOfTheDigestAsAFile() throws {
        let digest = try BLAKE2b.digest(of: Self.file)
        let signature = try Self.signature(.wholeFile, of: digest)
        #expect(throws: SignatureError.otherBytes) { try signature.verify(digest, called: nil, by: [Self.key()]) }
        let short = try Self.signature(.wholeFile, of: Self.file)
        #expect(throws: Never.self) { try short.verify(Self.file, called: nil, by: [Self.key()]) }
    }

    /// Whoever makes keys can give two of them one id.
    @Test func ofTwoKeysWithOneIdEitherIsTried() throws {
        let other = try Self.key(seed: [UInt8](1...32))
        #expect(try Self.signature().verify(Self.file, called: nil, by: [other, Self.key()]) == Self.key())
        #expect(throws: SignatureError.otherBytes) {
            try Self.signature().verify(Self.file, called: nil, by: [other])
        }
        let stranger = try Self.key(MinisignKeyID([9, 9, 9, 9, 9, 9, 9, 9]))
        #expect(throws: SignatureError.otherKey(Self.id)) {
            try Self.signature().verify(Self.file, called: nil, by: [stranger])
        }
    }

    @Test func aSignatureSaysOfWhichFileItIs() throws {
        #expect(throws: SignatureError.otherName("m.json")) {
            try Self.signature().verify(Self.file, called: "n.json", by: [Self.key()])
        }
        #expect(throws: SignatureError.noName) {
            try Self.signature(comment: "the museum's").verify(Self.file, called: "n.json", by: [Self.key()])
        }
    }

    @Test(arguments: [
        ("untrusted comment: anything", "anything"), ("trusted comment: t", "t"), ("\nRUQ", "\nRVQ"),
        ("\nRUQ", "\n RUQ"),
        ("\nRUQ", "\n\nRUQ"), ("\tfile", "\n file"),
    ])
    func whatIsNoSignatureIsRefused(part: String, change: String) throws {
        let text = try Self.signature().text
        let changed = text.replacing(part, with: change, maxReplacements: 1)
        #expect(changed != text)
        #expect(throws: SignatureError.self) { try MinisignSignature(Array(changed.utf8)) }
    }

    @Test func aSignatureIsNoLongText() throws {
        let text = try Self.signature(comment: String(repeating: "x", count: MinisignSignature.limitBytes)).text
        #expect(throws: SignatureError.self) { try MinisignSignature(Array(text.utf8)) }
    }

    @Test(arguments: ["", "RWQ", "untrusted comment: x\n", "a\nb\nc", "RUQBAgMEBQYHAAAA"])
    func whatIsNoKeyIsRefused(text: String) {
        #expect(throws: SignatureError.notAKey) { try MinisignPublicKey(text) }
    }

    /// With R = A and S = 0 the identity has "signed" everything; so have its relatives, now and then.
    @Test(arguments: [[1], [1 | 0x80], [0]] as [[UInt8]]) func aKeyForWhichAnybodyCanSignIsRefused(ends: [UInt8]) throws
    {
        var point = [UInt8](repeating: 0, count: 32)
        point[0] = ends[0] & 0x7F
        if ends[0] > 0x7F { point[31] = 0x80 }
        let signature = point.prefix(31) + [point[31] & 0x7F] + [UInt8](repeating: 0, count: 32)
        #expect(try !Ed25519.isSignature(Array(signature), of: [1, 2, 3], by: point))
        let key = Base64.text(of: Array("Ed".utf8) + [UInt8](repeating: 7, count: 8) + point)
        #expect(throws: SignatureError.worthlessKey) { try MinisignPublicKey(key) }
    }

    @Test func aKeysFileMayHaveAnyCommentAndLineEnds() throws {
        let key = try Self.key()
        for text in ["untrusted comment: x\n\(key)\n", "# mine\r\n\(key)\r\n", "x\n\(key)\n\n"] {
            #expect(try MinisignPublicKey(text) == key)
        }
    }
}
