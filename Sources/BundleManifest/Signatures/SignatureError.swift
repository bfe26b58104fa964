import Platform

/// Why a signature, or a key of minisign's, isn't taken.
package enum SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No public key of minisign's.
    case notAKey
    /// A public key for which anybody can sign.
    case worthlessKey
    /// No signature of minisign's; the text says what of it isn't.
    case notASignature(String)
    /// Made with a key that nobody here trusts.
    case otherKey(MinisignKeyID)
    /// The key is right, and the bytes are others than were signed.
    case otherBytes
    /// The bytes are right, and the trusted comment is another one than was signed.
    case otherComment
    /// All is right, and the file had another name when it was signed.
    case otherName(String)
    /// All is right, and the trusted comment doesn't say of which file it is: it may have been made of another one.
    case noName
    /// Nobody can tell here whose it is.
    case missing(AlgorithmMissing)

    /// Whether nothing is known against the signature.
    package var isUndecided: Bool {
        if case .missing = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .notAKey:
            "it is no public key of minisign's: 56 characters that begin with RW, or a file with them in its second line"
        case .worthlessKey: "anybody can make signatures for this public key: no secret key belongs to it"
        case .notASignature(let what): "it is no signature of minisign's: \(what)"
        case .otherKey(let id): "it was signed with the key \(id), which isn't among those that are trusted here"
        case .otherBytes:
            "the signature is of other bytes: the file was changed after it was signed, or this is the signature of another one"
        case .otherName(let name):
            "the signature is of a file called '\(escapedText(name))'; sign it as it is called where it is read"
        case .noName:
            "the signature doesn't say of which file it is: minisign -t, and larder manifest sign always, can put 'file:' and the name into its trusted comment, with a tab before it where something else stands there"
        case .missing(let algorithm): "its signature can't be checked: \(algorithm)"
        case .otherComment: "the signature's trusted comment was changed after it was signed"
        }
    }
}
