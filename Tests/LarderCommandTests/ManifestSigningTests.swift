import Glibc
import Platform
import TestSupport
import Testing

/// `larder manifest sign` and `verify-signature`, beside the real minisign.
@Suite struct ManifestSigningTests {
    private let directory: TemporaryDirectory
    private let signer: Minisign
    private let manifest: String

    init() async throws {
        directory = try TemporaryDirectory()
        signer = try await Minisign(in: directory)
        let bundle = #"{"id": "a", "kind": "ebook", "urls": ["https://a.example/b.epub"]}"#
        manifest = try directory.write(Stock.manifest([bundle]).utf8, to: "m.json")
    }

    private func sign(_ more: String..., input: String = "") async throws -> ChildProcess.Result {
        try await LarderProgram.run(["manifest", "sign", manifest] + more, input: Array(input.utf8))
    }

    private func verify(_ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["manifest", "verify-signature", manifest] + more)
    }

    @Test func minisignTakesWhatLarderSigns() async throws {
        let signed = try await sign("--secret-key", signer.secretKeyPath, "--comment", "the museum's")
        #expect(signed.status == .exited(0), "\(signed)")
        #expect(signed.outputText == "\(manifest).minisig\n")
        let judged = try await signer.verify(manifest)
        #expect(judged.status == .exited(0), "\(judged)")
        #expect(judged.outputText.contains("Trusted comment: the museum's\tfile:m.json"), "\(judged)")
    }

    @Test(arguments: [[], ["-l"]])
    func larderTakesWhatMinisignSigns(how: [String]) async throws {
        try await signer.sign(manifest, how)
        let judged = try await verify("--public-key", signer.publicKey)
        #expect(judged.status == .exited(0), "\(judged)")
        #expect(judged.outputText.contains("signed with the key \(signer.id): timestamp:"), "\(judged)")
        #expect(judged.outputText.contains("\\tfile:m.json"), "\(judged)")
    }

    /// A libcrypto that is told to offer only what is approved, and has nothing of that: it says nothing against a signature or a key.
    @Test func whereNobodyCanTellNothingIsCalledWrong() async throws {
        try await signer.sign(manifest)
        let locked = try await Minisign(in: directory, named: "locked", password: "open sesame")
        let password = try directory.write("open sesame\n".utf8, to: "password", mode: 0o600)
        var environment = ChildProcess.inheritedEnvironment
        environment["OPENSSL_CONF"] = try directory.write(
            """
            openssl_conf = all
            [all]
            alg_section = algorithms
            [algorithms]
            default_properties = fips=yes

            """.utf8, to: "openssl.cnf")
        let sign = ["manifest", "sign", manifest, "--secret-key"]
        for (arguments, algorithm, code) in [
            (["manifest", "verify-signature", manifest, "-P", signer.publicKey], "BLAKE2b", 66),
            (sign + [signer.secretKeyPath], "Ed25519", 1),
            (sign + [locked.secretKeyPath, "--password-file", password], "scrypt", 1),
        ] as [([String], String, Int32)] {
            let result = try await LarderProgram.run(arguments, environment: environment)
            #expect(result.status == .exited(code) && result.problems.count == 1, "\(result)")
            #expect(result.errorText.contains("libcrypto offers no \(algorithm) on this machine"), "\(result)")
        }
        // Nothing can be done without this one.
        let sync = ["sync", manifest, "--library", directory["library"]]
        let result = try await LarderProgram.run(sync, environment: environment)
        #expect(result.status == .exited(1) && result.errorText == "error: libcrypto offers no SHA-256\n", "\(result)")
    }

    /// As ssh does; but a key may be meant to lie so.
    @Test(arguments: [(0o644, true), (0o604, true), (0o640, false), (0o600, false)] as [(mode_t, Bool)])
    func aKeyThatEverybodyMayReadIsToldOf(mode: mode_t, isTold: Bool) async throws {
        try check(chmod(signer.secretKeyPath, mode), "chmod")
        let signed = try await sign("--secret-key", signer.secretKeyPath)
        #expect(signed.status == .exited(0), "\(signed)")
        let warning =
            "warning: everybody on this machine may read \(signer.secretKeyPath): chmod 600 makes it yours alone\n"
        #expect(signed.errorText == (isTold ? warning : ""), "\(signed)")
    }

    /// At minisign's cost: a second, and 1 GiB of memory.
    @Test func anEncryptedKeyNeedsItsPassword() async throws {
        let locked = try await Minisign(in: directory, named: "locked", password: "open sesame")
        let password = try directory.write("open sesame\n".utf8, to: "password")
        let wrong = try directory.write("open barley\n".utf8, to: "wrong")
        let refused = try await sign("--secret-key", locked.secretKeyPath, "--password-file", wrong)
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorText.contains("the password is wrong"), "\(refused)")
        let signed = try await sign("--secret-key", locked.secretKeyPath, "--password-file", password)
        #expect(signed.status == .exited(0), "\(signed)")
        #expect(try await locked.verify(manifest).status == .exited(0))
    }

    /// The key is read once the manifest was judged, as a password is asked for: what is written meanwhile nobody has judged.
    @Test func aManifestThatChangesBeforeItIsSignedIsNot() async throws {
        let key = directory["key"]
        try check(mkfifo(key, 0o600), "mkfifo")
        let signing = try LarderProgram.start(["manifest", "sign", manifest, "--secret-key", key])
        // Opens once the other end is read.
        var file: Platform.OwnedDescriptor? = try await JobQueue(name: "key").attempt {
            try Platform.OwnedDescriptor.open(key, flags: O_WRONLY)
        }
        try directory.write("{}".utf8, to: "m.json")
        try file?.write(readFile(signer.secretKeyPath))
        file = nil
        let signed = try await signing.waitForExit()
        #expect(signed.status == .exited(1) && signed.errorText.contains("m.json has changed since"), "\(signed)")
        #expect(throws: (any Error).self) { try directory.read("m.json.minisig") }
    }

    @Test func whatIsNoManifestIsNotSigned() async throws {
        try directory.write("{\"format\": \"larder/1\"}".utf8, to: "m.json")
        let run = try await sign("--secret-key", signer.secretKeyPath)
        #expect(run.status == .exited(65), "\(run)")
        #expect(throws: (any Error).self) { try directory.read("m.json.minisig") }
    }

    /// The name that a verifier would believe.
    @Test(arguments: ["file:other.json", "a\tfile:other.json"]) func aCommentNamesNoFile(comment: String) async throws {
        #expect(try await sign("--secret-key", signer.secretKeyPath, "--comment", comment).status == .exited(64))
    }

    /// A run would only say that the bundle fails.
    @Test func aManifestWithABundleThatFailsIsNotSigned() async throws {
        let digest = String(repeating: "0", count: 64)
        let bundle = #"{"id": "a", "kind": "ebook", "urls": ["https://a.example/b.epub"], "sha256": "\#(digest)"}"#
        try directory.write(Stock.manifest([bundle]).utf8, to: "m.json")
        let run = try await sign("--secret-key", signer.secretKeyPath)
        #expect(run.status == .exited(65), "\(run)")
    }

    @Test func aSignatureMayLieElsewhere() async throws {
        #expect(try await sign("--secret-key", signer.secretKeyPath).status == .exited(0))
        let elsewhere = try directory.write(directory.read("m.json.minisig"), to: "sub/s")
        #expect(try await verify("-P", signer.publicKey, "--signature", elsewhere).status == .exited(0))
        #expect(try await verify("-P", signer.publicKey, "--signature", manifest).status == .exited(77))
        #expect(try await verify().status == .exited(64))
    }

    /// Each damage to a signature or what it is of, and what is told of it.
    @Test(arguments: [
        ("m.json", "\"id\": \"a\"", "\"id\": \"b\"", "other bytes"),
        ("m.json.minisig", "trusted comment: t", "trusted comment: T", "trusted comment was changed"),
        ("m.json.minisig", "\nRU", "\nRV", "second line"),
        ("m.json.minisig", "\ntrusted", "\nunsafe", "third line"),
    ])
    func whatWasChangedSinceIsTold(file: String, part: String, change: String, told: String) async throws {
        #expect(try await sign("--secret-key", signer.secretKeyPath).status == .exited(0))
        let text = String(decoding: try directory.read(file), as: UTF8.self)
        #expect(text.contains(part))
        try directory.write(text.replacing(part, with: change, maxReplacements: 1).utf8, to: file)
        let judged = try await verify("--public-key", signer.publicKey)
        #expect(judged.status == .exited(77), "\(judged)")
        #expect(judged.errorText.contains(told), "\(judged)")
    }
}
