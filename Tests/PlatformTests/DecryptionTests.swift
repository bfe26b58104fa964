import Platform
import Testing

@Suite struct DecryptionTests {
    /// `openssl enc -aes-128-cbc -K 00010203…0f -iv 101112…1f` of the bytes 0 to 39.
    private let key = (0..<16).map { UInt8($0) }
    private let vector = (16..<32).map { UInt8($0) }
    private let clear = (0..<40).map { UInt8($0) }

    private func decrypted(_ bytes: [UInt8], pieces: Int, vector: [UInt8]? = nil) -> [UInt8]? {
        guard let decryption = AES128CBC.Decryption(key: key, vector: vector ?? self.vector) else { return nil }
        var clear: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            guard let piece = bytes[start..<min(bytes.count, start + pieces)].withUnsafeBytes(decryption.update) else {
                return nil
            }
            clear += piece
        }
        return decryption.finish().map { clear + $0 }
    }

    private let encrypted: [UInt8] = [
        0x95, 0x4f, 0x64, 0xf2, 0xe4, 0xe8, 0x6e, 0x9e, 0xee, 0x82, 0xd2, 0x02, 0x16, 0x68, 0x48, 0x99,
        0xa9, 0x3b, 0x9d, 0xdb, 0x22, 0xe8, 0xab, 0x10, 0x4c, 0x61, 0xe7, 0x28, 0x83, 0x1d, 0x6d, 0x5a,
        0xdb, 0xc6, 0xf4, 0xe8, 0x4f, 0x60, 0x00, 0x76, 0x5c, 0xd5, 0x17, 0x19, 0x5e, 0xc5, 0x00, 0xed,
    ]

    @Test(arguments: [1, 7, 16, 17, 48]) func piecesOfAnyLengthMakeTheSame(pieces: Int) {
        #expect(decrypted(encrypted, pieces: pieces) == clear)
    }

    @Test func anEndThatIsNoPaddingIsNone() {
        #expect(decrypted(encrypted.dropLast(), pieces: 16) == nil)
        #expect(decrypted(encrypted.dropLast(16), pieces: 16) == nil)
        #expect(decrypted([], pieces: 16) == nil)
    }

    /// The library counts with 32 bits: what is more must not be cut to that. None of it is looked at.
    @Test func moreThanTheLibraryCanCountIsRefused() throws {
        let decryption = try #require(AES128CBC.Decryption(key: key, vector: vector))
        encrypted.withUnsafeBytes { bytes in
            let tooMany = UnsafeRawBufferPointer(start: bytes.baseAddress, count: Int(Int32.max) - 15)
            #expect(decryption.update(tooMany) == nil)
        }
    }

    @Test func keysAndVectorsHave16Bytes() {
        #expect(AES128CBC.Decryption(key: key + [0], vector: vector) == nil)
        #expect(AES128CBC.Decryption(key: key, vector: []) == nil)
    }
}
