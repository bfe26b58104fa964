import BundleManifest
import Platform

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
        let expected: [UInt8]
        do throws(AlgorithmMissing) { expected = try Ed25519.publicKey(ofSeed: seed) } catch { throw .missing(error) }
        guard publicKey.elementsEqual(expected) else {
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
        let signature: [UInt8]
        let commentSignature: [UInt8]
        do throws(AlgorithmMissing) {
            signature = try Ed25519.signature(of: BLAKE2b.digest(of: bytes), seed: seed)
            commentSignature = try Ed25519.signature(of: signature + Array(trustedComment.utf8), seed: seed)
        } catch {
            throw .missing(error)
        }
        return MinisignSignature(
            algorithm: .digest, keyID: id, untrustedComment: untrustedComment, trustedComment: trustedComment,
            signature: signature, commentSignature: commentSignature)
    }
}
