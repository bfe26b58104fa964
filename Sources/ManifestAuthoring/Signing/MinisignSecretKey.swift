import BundleManifest
import Platform

/// Why a secret key of minisign's can't be used.
package enum SecretKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text says what isn't as it should be.
    case notAKey(String)
    /// It is encrypted, and no password was given.
    case needsPassword
    /// The password is another one, or the file is damaged.
    case wrongPassword
    /// The password's work takes more memory than we give it.
    case tooExpensive(bytes: UInt64)
    case refused

    package var description: String {
        switch self {
        case .notAKey(let what): "it is no secret key of minisign's: \(what)"
        case .needsPassword: "it is encrypted, and needs a password"
        case .wrongPassword: "the password is wrong, or the key is damaged"
        case .tooExpensive(let bytes):
            "a password takes \(bytes) bytes of memory and much time to try, more than the 2 GiB that it is given"
        case .refused: "libcrypto refuses to sign with it"
        }
    }
}

/// A secret key in minisign's form, decrypted. Its bytes are in no description, message or file of ours.
package struct MinisignSecretKey: Sendable {
    package let id: MinisignKeyID
    private let seed: [UInt8]

    /// Whether a password is needed for the key in `text`; no for what is no key.
    package static func isEncrypted(_ text: String) -> Bool {
        guard let file = try? MinisignSecretKeyFile(text) else { return false }
        return file.derivation != nil
    }

    /// Reads a key as `minisign -G` writes it.
    /// - Parameter password: what it is encrypted with; not looked at where it isn't.
    /// - Complexity: a password takes a second and 1 GiB of memory at minisign's cost.
    package init(_ text: String, password: [UInt8]? = nil) throws(SecretKeyError) {
        let file = try MinisignSecretKeyFile(text)
        var secret = file.secret
        if let derivation = file.derivation {
            guard let password else { throw .needsPassword }
            let stream = try derivation.stream(password, lengthBytes: secret.count)
            secret = zip(secret, stream).map { $0 ^ $1 }
        }
        let id = secret.prefix(8)
        let seed = Array(secret.dropFirst(8).prefix(Ed25519.keyBytes))
        let publicKey = secret.dropFirst(8 + Ed25519.keyBytes).prefix(Ed25519.keyBytes)
        // Behind these stands a checksum, BLAKE2b with 32 bytes, which libcrypto before 3.2 doesn't offer. That the public key is the one of the
        // seed tells as much of both, and of the password. The id alone it says nothing of: with a rotten one nobody takes the signatures.
        guard Ed25519.publicKey(ofSeed: seed).map({ publicKey.elementsEqual($0) }) == true else {
            throw file.derivation == nil ? .notAKey("its two halves don't belong together") : .wrongPassword
        }
        (self.id, self.seed) = (MinisignKeyID(id), seed)
    }

    /// Signs `bytes` as minisign does: their digest, and then that signature together with the trusted comment.
    /// - Parameters:
    ///   - trustedComment: one line that whoever verifies may believe.
    ///   - untrustedComment: one line that stands before the signature.
    package func sign(
        _ bytes: [UInt8], trustedComment: String, untrustedComment: String
    ) throws(SecretKeyError) -> MinisignSignature {
        guard let signature = Ed25519.signature(of: BLAKE2b.digest(of: bytes), seed: seed),
            let commentSignature = Ed25519.signature(of: signature + Array(trustedComment.utf8), seed: seed)
        else { throw .refused }
        return MinisignSignature(
            algorithm: .digest, keyID: id, untrustedComment: untrustedComment, trustedComment: trustedComment,
            signature: signature, commentSignature: commentSignature)
    }
}
