import BundleManifest
import CommandLineParsing
import ContentLibrary
import Diagnostics
import Glibc
import Jobs
import ManifestAuthoring
import Platform

/// `larder manifest sign`: says of manifests whose they are.
struct ManifestSignCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let secretKey = CommandOption<String>.required(
        "secret-key", short: "s", .file(), environment: "LARDER_SECRET_KEY",
        help: "the key, as minisign -G makes it")
    private static let passwordFile = CommandOption<String?>.optional(
        "password-file", .file(), help: "a file that begins with the key's password; a line; else it is asked for")
    private static let comment = CommandOption<String?>.optional(
        "comment", short: "t", .text("TEXT"),
        help: "what the signature says; besides the file's name, instead of the time")
    private static let untrustedComment = CommandOption<String>.value(
        "untrusted-comment", short: "c", .text("TEXT"), default: "signature from larder",
        help: "what the signature file begins with; nobody vouches for it")

    static let command = Command(
        "manifest sign", summary: "sign manifests, as minisign does",
        description: """
            Writes FILE.minisig beside each manifest: a signature by Ed25519 of its BLAKE2b digest, which minisign \
            verifies too. A manifest that isn't valid is not signed. Sign again after each change, and serve both files.
            """,
        operands: [Operand("FILE", .oneOrMore, help: "a manifest", completion: .files)],
        groups: [
            OptionGroup("Signature", secretKey, passwordFile, comment, untrustedComment),
            OptionGroup("Output", OutputOptions.quiet),
        ],
        examples: [
            Example(
                "larder manifest sign museum.json --secret-key ~/.minisign/minisign.key", "Makes museum.json.minisig."),
            Example(
                "larder manifest sign *.json -s museum.key --password-file museum.password", "Where nobody is asked."),
        ],
        exitCodes: Jobs.ExitCode.values(
            .success, .failure, .usage, .invalidManifest, .unreadable, .noSpace, .interrupted),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "signed", .failure: "it is no key, or not its password; or a signature can't be written",
            .usage: "wrong usage, or a manifest that can't be signed where it is",
            .invalidManifest: "a manifest is not valid: nothing is signed",
            .unreadable: "a manifest, the key or the password can't be read: nothing is signed",
            .noSpace: "no room for a signature: the disk is full",
            .interrupted: "stopped by SIGINT while the password was asked for: nothing is signed",
        ]))

    func run() -> Jobs.ExitCode {
        do {
            for text in [parsed[Self.comment], parsed[Self.untrustedComment]].compactMap(\.self) {
                guard ManifestSigner.isComment(text) else {
                    throw parsed.usageError(
                        "a comment is one line of at most 900 bytes that names no file: the name is added to it")
                }
            }
            // What can't be signed is told before anybody is asked for a password.
            var exit = Jobs.ExitCode.success
            var manifests: [(path: String, bytes: [UInt8])] = []
            for path in parsed.operands {
                do throws(AuthoringProblem) { manifests.append((path, try Self.manifest(path))) } catch {
                    for line in error.lines { Console.writeError("larder: \(line)\n") }
                    exit = exit.combined(with: error.exit)
                }
            }
            guard exit == .success else { return exit }
            let signer = ManifestSigner(try secretKey())
            for (path, bytes) in manifests { try Self.checkIsStill(bytes, at: path) }
            for (path, bytes) in manifests {
                let place = try signer.sign(
                    bytes, at: path,
                    trustedComment: ManifestSigner.comment(parsed[Self.comment], on: path, at: .now),
                    untrustedComment: parsed[Self.untrustedComment])
                if !parsed[OutputOptions.quiet] { Console.write("\(escapedText(place))\n") }
            }
            return .success
        } catch let error as UsageError {
            Console.writeError("larder: \(error)\n")
            return .usage
        } catch let error as AuthoringProblem {
            for line in error.lines { Console.writeError("larder: \(line)\n") }
            return error.exit
        } catch let error as SystemError where error.code == EINTR {
            return .interrupted
        } catch {
            Console.writeError("larder: \(error)\n")
            return (error as? SystemError)?.isNoSpace == true ? .noSpace : .failure
        }
    }

    private static func manifest(_ path: String) throws(AuthoringProblem) -> [UInt8] {
        let name = MinisignSignature.signedName(of: path)
        guard ManifestSigner.isComment(name), !name.contains("\t") else {
            throw AuthoringProblem(.usage, "\(escapedText(path)): a signature can't hold such a name; rename the file")
        }
        if let library = Library.around(path) {
            throw AuthoringProblem(
                .usage,
                "\(escapedText(path)): it lies in the library \(escapedText(library)), where nothing else is written; sign the file it was made from"
            )
        }
        let bytes = try readFile(path, limitBytes: ManifestLocation.limitBytes)
        let decoded = DecodedManifest(
            SourceText(name: path, bytes: bytes), options: ManifestDecodingOptions(allowsFileURLs: true))
        // Of some errors a run says no more than that a bundle fails; whoever signs should mend these, too.
        guard decoded.isValid, !decoded.diagnostics.hasErrors else { throw AuthoringProblem(invalid: decoded) }
        return bytes
    }

    /// A password may be asked for while somebody writes the manifest anew: nobody has judged what is there now.
    private static func checkIsStill(_ bytes: [UInt8], at path: String) throws(AuthoringProblem) {
        guard try readFile(path, limitBytes: ManifestLocation.limitBytes) != bytes else { return }
        throw AuthoringProblem(
            .failure, "\(escapedText(path)) has changed since it was read, and nothing is signed: sign it again")
    }

    private func secretKey() throws -> MinisignSecretKey {
        let path = parsed[Self.secretKey]
        let text = String(decoding: try readSecret(path), as: UTF8.self)
        let password = MinisignSecretKey.isEncrypted(text) ? try password(of: path) : nil
        do throws(SecretKeyError) { return try MinisignSecretKey(text, password: password) } catch {
            throw AuthoringProblem(.failure, "\(escapedText(path)): \(error)")
        }
    }

    /// Nil: none was given.
    private func password(of path: String) throws -> [UInt8]? {
        guard let file = parsed[Self.passwordFile] else {
            return try PasswordPrompt.ask("Password of \(escapedText(path)): ")
        }
        return Array(
            try readSecret(file).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }
}
