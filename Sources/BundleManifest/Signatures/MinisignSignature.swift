import Platform

/// A signature in minisign's form, which stands in `FILE.minisig` beside what it is of:
///
///     untrusted comment: anything
///     base 64 of the algorithm (two letters), the key's id, and the signature of the file
///     trusted comment: anything
///     base 64 of the signature of the two signatures' common part: the signature above and the trusted comment
package struct MinisignSignature: Hashable, Sendable {
    /// What was signed.
    package enum Algorithm: String, Sendable {
        /// The file itself: as minisign did before 0.10, and with `-l`.
        case wholeFile = "Ed"
        /// BLAKE2b-512 of the file.
        case digest = "ED"
    }

    package let algorithm: Algorithm
    package let keyID: MinisignKeyID
    /// Nobody vouches for it.
    package let untrustedComment: String
    /// What the signer says besides, signed together with the rest; of what bytes it may hold, none is safe to print as it is.
    package let trustedComment: String
    let signature: [UInt8]
    let commentSignature: [UInt8]

    package static let untrustedPrefix = "untrusted comment: "
    static let trustedPrefix = "trusted comment: "
    /// Longer than any that minisign writes or reads.
    package static let limitBytes = 16 << 10

    package init(
        algorithm: Algorithm, keyID: MinisignKeyID, untrustedComment: String, trustedComment: String,
        signature: [UInt8], commentSignature: [UInt8]
    ) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.untrustedComment = untrustedComment
        self.trustedComment = trustedComment
        self.signature = signature
        self.commentSignature = commentSignature
    }

    /// Reads a signature file.
    /// - Throws: `SignatureError.notASignature`, with the line that isn't what it should be.
    package init(_ bytes: [UInt8]) throws(SignatureError) {
        guard bytes.count <= Self.limitBytes else { throw .notASignature("it is longer than 16 KiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notASignature("it is no text") }
        let lines = text.minisignLines
        guard lines.count == 4 else { throw .notASignature("it has \(lines.count) lines, where a signature has 4") }
        guard lines[0].hasPrefix(Self.untrustedPrefix) else {
            throw .notASignature("its first line doesn't begin with '\(Self.untrustedPrefix)'")
        }
        guard let first = Base64.bytes(of: lines[1]),
            first.count == 2 + MinisignKeyID.lengthBytes + Ed25519.signatureBytes
        else { throw .notASignature("its second line is no signature in base 64") }
        guard let algorithm = Algorithm(rawValue: String(decoding: first.prefix(2), as: UTF8.self)) else {
            throw .notASignature("its second line names an algorithm that is neither Ed nor ED")
        }
        guard lines[2].hasPrefix(Self.trustedPrefix) else {
            throw .notASignature("its third line doesn't begin with '\(Self.trustedPrefix)'")
        }
        guard let second = Base64.bytes(of: lines[3]), second.count == Ed25519.signatureBytes else {
            throw .notASignature("its fourth line is no signature in base 64")
        }
        self.init(
            algorithm: algorithm, keyID: MinisignKeyID(first.dropFirst(2).prefix(MinisignKeyID.lengthBytes)),
            untrustedComment: String(lines[0].dropFirst(Self.untrustedPrefix.count)),
            trustedComment: String(lines[2].dropFirst(Self.trustedPrefix.count)),
            signature: Array(first.suffix(Ed25519.signatureBytes)), commentSignature: second)
    }

    /// The file's text.
    package var text: String {
        let first = Base64.text(of: Array(algorithm.rawValue.utf8) + keyID.bytes + signature)
        return """
            \(Self.untrustedPrefix)\(untrustedComment)
            \(first)
            \(Self.trustedPrefix)\(trustedComment)
            \(Base64.text(of: commentSignature))

            """
    }

    /// The name that the signed file had: minisign and Larder write it into the trusted comment, where nobody asks for another one.
    package var signedFileName: String? {
        trustedComment.split(separator: "\t").first { $0.hasPrefix(Self.fileField) }
            .map { String($0.dropFirst(Self.fileField.count)) }
    }

    private static let fileField = "file:"

    /// The field of a trusted comment that says of which file a signature is.
    package static func fileField(_ path: String) -> String { fileField + signedName(of: path) }

    /// What a signature calls the file at a path: its last component.
    package static func signedName(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Where the signature of a file lies.
    package static func place(of path: String) -> String { path + ".minisig" }

    /// Whether this is a signature of exactly `bytes`, trusted comment and all, by one of the `keys`.
    /// - Parameter name: what the file is called; nil: anything. A manifest and its signature that are put in the place of others prove whom
    ///   they are by, and are not what was asked for.
    /// - Returns: the key.
    /// - Throws: `SignatureError`, when it isn't.
    @discardableResult
    package func verify(
        _ bytes: [UInt8], called name: String?, by keys: some Sequence<MinisignPublicKey>
    ) throws(SignatureError) -> MinisignPublicKey {
        // Whoever makes keys can give two of them one id.
        let candidates = keys.filter { $0.id == keyID }
        guard !candidates.isEmpty else { throw .otherKey(keyID) }
        guard let key = try signer(of: signedBytes(of: bytes), signature, among: candidates) else { throw .otherBytes }
        guard try signer(of: signature + Array(trustedComment.utf8), commentSignature, among: [key]) != nil else {
            throw .otherComment
        }
        if let name {
            guard let signed = signedFileName else { throw .noName }
            guard signed == name else { throw .otherName(signed) }
        }
        return key
    }

    /// What of a file is signed.
    private func signedBytes(of bytes: [UInt8]) throws(SignatureError) -> [UInt8] {
        switch algorithm {
        case .digest:
            do throws(AlgorithmMissing) { return try BLAKE2b.digest(of: bytes) } catch { throw .missing(error) }
        case .wholeFile:
            // What is as long as a digest may be one: then the signature was made of the file it is the digest of.
            guard bytes.count != BLAKE2b.digestBytes else { throw .otherBytes }
            return bytes
        }
    }

    private func signer(
        of message: [UInt8], _ signature: [UInt8], among keys: [MinisignPublicKey]
    ) throws(SignatureError) -> MinisignPublicKey? {
        do throws(AlgorithmMissing) {
            for key in keys where try Ed25519.isSignature(signature, of: message, by: key.point) { return key }
            return nil
        } catch {
            throw .missing(error)
        }
    }
}
