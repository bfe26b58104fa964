import BundleManifest
import CommandLineParsing
import Glibc
import Jobs
import Platform

/// `larder manifest verify-signature`: tells whose a manifest is.
struct VerifySignatureCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let signature = CommandOption<String?>.optional(
        "signature", short: "x", .file(), help: "the signature (default: FILE.minisig beside the manifest)")

    static let command = Command(
        "manifest verify-signature", summary: "tell whether a manifest is by whom it should be",
        description: """
            Holds a manifest against its signature and the keys that are trusted, and prints the key's id and what the \
            signer says. A key proves something only if it came another way than the manifest: one that stands in it, or \
            is fetched from where it is, may be anybody's.
            """,
        operands: [Operand("FILE", help: "a manifest", completion: .files)],
        groups: [
            OptionGroup("Signature", PublicKeyOption.publicKey, signature),
            OptionGroup("Output", OutputOptions.quiet),
        ],
        examples: [
            Example(
                "larder manifest verify-signature museum.json --public-key museum.pub", "Whether it is the museum's.")
        ],
        exitCodes: Jobs.ExitCode.values(.success, .failure, .usage, .unreadable, .refused),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "signed with one of the keys, under this name",
            .failure: "it is, but standard output can't be written", .usage: "wrong usage, or a key that is none",
            .unreadable: "the manifest, or its signature, can't be read; or can't be checked on this machine",
            .refused: "the signature is none, another key's, or one of other bytes or another name",
        ]))

    func run() -> Jobs.ExitCode {
        do {
            let keys = try PublicKeyOption.keys(parsed)
            guard !keys.isEmpty else { throw parsed.usageError("--public-key is required") }
            let path = parsed.operands[0]
            let bytes = try readFile(path, limitBytes: ManifestLocation.limitBytes)
            let place = parsed[Self.signature] ?? MinisignSignature.place(of: path)
            let text = try readFile(place, limitBytes: MinisignSignature.limitBytes)
            do throws(SignatureError) {
                let signature = try MinisignSignature(text)
                try signature.verify(bytes, called: MinisignSignature.signedName(of: path), by: keys)
                if !parsed[OutputOptions.quiet] {
                    Console.write(
                        "\(escapedText(path)): signed with the key \(signature.keyID): \(escapedText(signature.trustedComment))\n"
                    )
                }
                return .success
            } catch {
                throw AuthoringProblem(error.isUndecided ? .unreadable : .refused, "\(escapedText(path)): \(error)")
            }
        } catch let error as AuthoringProblem {
            for line in error.lines { Console.writeError("larder: \(line)\n") }
            return error.exit
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
    }
}
