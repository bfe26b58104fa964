import Platform

/// Why a secret key of minisign's can't be used.
package enum SecretKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text says what isn't as it should be.
    case notAKey(String)
    /// It is encrypted, and no password was given.
    case needsPassword
    /// The password is another one, or the file is damaged.
    case wrongPassword
    /// A password takes more memory or time to try than we give it.
    case tooExpensive(bytes: UInt64, operations: UInt64)
    /// Nobody can sign here, or read the key.
    case missing(AlgorithmMissing)

    package var description: String {
        switch self {
        case .notAKey(let what): "it is no secret key of minisign's: \(what)"
        case .needsPassword: "it is encrypted, and needs a password"
        case .wrongPassword: "the password is wrong, or the key is damaged"
        case .tooExpensive(let bytes, let operations):
            "to try a password takes \(bytes) bytes of memory and \(operations) operations, and no more than 2 GiB and \(PasswordDerivation.mostOperations) are spent on it: sign with a key that minisign -G made"
        case .missing(let algorithm): "it can't be used: \(algorithm)"
        }
    }
}
