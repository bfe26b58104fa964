import Platform
import Testing

/// What signatures are made of, by the vectors of the documents that define it.
@Suite struct SignatureTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// RFC 8032 §7.1, tests 1 to 3.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func ed25519(seed: String, key: String, message: String, signature: String) throws {
        let (seed, key, message, signature) = (
            Self.bytes(seed), Self.bytes(key), Self.bytes(message), Self.bytes(signature)
        )
        #expect(try Ed25519.publicKey(ofSeed: seed) == key)
        #expect(try Ed25519.signature(of: message, seed: seed) == signature)
        #expect(try Ed25519.isSignature(signature, of: message, by: key))
        #expect(try !Ed25519.isSignature(signature, of: message + [0], by: key))
        #expect(try !Ed25519.isSignature(signature.reversed(), of: message, by: key))
        #expect(try !Ed25519.isSignature(signature.dropLast(), of: message, by: key))
    }

    /// RFC 7693, appendix A.
    @Test func blake2b() throws {
        let digest =
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        #expect(try BLAKE2b.digest(of: Array("abc".utf8)) == Self.bytes(digest))
    }

    /// RFC 7914 §12, the second vector.
    @Test func scrypt() throws {
        let key =
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        #expect(
            try Scrypt.key(
                Array("password".utf8), salt: Array("NaCl".utf8), cost: 10, parallelism: 16,
                memoryLimitBytes: 64 << 20, keyBytes: 64) == Self.bytes(key))
        #expect(
            try Scrypt.key([], salt: [], cost: 20, parallelism: 1, memoryLimitBytes: 1 << 20, keyBytes: 32) == nil,
            "more memory than is allowed")
    }

    /// RFC 4648 §10.
    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64(text: String, encoded: String) {
        #expect(Base64.text(of: Array(text.utf8)) == encoded)
        #expect(Base64.bytes(of: encoded) == Array(text.utf8))
    }

    /// One value has one text: another would be another signature of the same file.
    @Test(arguments: ["Zg", "Zg=", "Zh==", " Zg==", "Zg==\n", "Zm9v Zg==", "Zg==Zg==", "Z-8=", "====", "Zm9vY==="])
    func whatIsNoBase64IsRefused(text: String) { #expect(Base64.bytes(of: text) == nil) }
}
