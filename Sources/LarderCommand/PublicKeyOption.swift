import BundleManifest
import CommandLineParsing
import Platform

/// `--public-key`: whose signatures are believed.
enum PublicKeyOption {
    static let publicKey = CommandOption<[String]>.repeated(
        "public-key", short: "P", .file("KEY"),
        help:
            "refuse manifests not signed with this key; or one of several: minisign's 56 characters, or a file of them"
    )

    /// Reads what stands for a key: its characters, or the path of a file that has them.
    static func key(_ argument: String) throws(PublicKeyProblem) -> MinisignPublicKey {
        if let key = try? MinisignPublicKey(argument) { return key }
        do {
            let bytes = try OwnedDescriptor.openRegularFile(argument).readAll(limitBytes: 4096)
            return try MinisignPublicKey(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw PublicKeyProblem(argument: argument, reason: "\(error)")
        }
    }

    static func keys(_ parsed: ParsedCommand) throws(PublicKeyProblem) -> [MinisignPublicKey] {
        try parsed[publicKey].map { argument throws(PublicKeyProblem) in try key(argument) }
    }
}

/// Why something stands for no public key.
struct PublicKeyProblem: Error, CustomStringConvertible {
    let argument: String
    let reason: String

    var description: String { "--public-key \(escapedText(argument)): \(reason)" }
}
