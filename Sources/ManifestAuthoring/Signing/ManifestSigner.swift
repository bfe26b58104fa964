import BundleManifest
import Platform

/// Signs files, and puts each signature beside what it is of.
package struct ManifestSigner {
    private let key: MinisignSecretKey

    package init(_ key: MinisignSecretKey) { self.key = key }

    /// What a signature says: `text`, or when it was made where that is nil; and always of which file it is, so that it passes for no other one.
    package static func comment(_ text: String?, on path: String, at time: Timestamp) -> String {
        let file = MinisignSignature.fileField(path)
        return text.map { "\($0)\t\(file)" } ?? "timestamp:\(time.seconds)\t\(file)\thashed"
    }

    /// Whether a text may be a comment: one line, no longer than minisign takes with all that stands before it, that names no file itself.
    package static func isComment(_ text: String) -> Bool {
        text.utf8.count <= 900 && !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
            && !text.split(separator: "\t").contains { $0.hasPrefix("file:") }
    }

    /// Writes `PATH.minisig` in one step; an older one is replaced.
    /// - Parameter bytes: what the file holds.
    /// - Returns: the signature's path.
    package func sign(
        _ bytes: [UInt8], at path: String, trustedComment: String, untrustedComment: String
    ) throws -> String {
        let signature = try key.sign(bytes, trustedComment: trustedComment, untrustedComment: untrustedComment)
        let place = MinisignSignature.place(of: path)
        try Directory.replaceFile(named: place, with: Array(signature.text.utf8))
        return place
    }
}
