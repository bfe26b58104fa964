import FaultServer
import TestSupport
import Testing

/// Manifests that are followed only if whoever is trusted signed them.
@Suite struct SignedManifestTests {
    private let stock: Stock
    private let signer: Minisign

    init() async throws {
        stock = try Stock()
        signer = try await Minisign(in: stock.directory)
    }

    /// Serves a manifest of one bundle.
    /// - Returns: its bytes.
    @discardableResult
    private func serve(_ bundle: String = "a", serial: Int = 1) -> [UInt8] {
        let bundles = [stock.file(bundle, Self.content)]
        stock.serveManifest(bundles, serial: serial)
        return Array(Stock.manifest(bundles, serial: serial).utf8)
    }

    /// Serves, beside the manifest, a signature of `bytes`.
    private func serveSignature(of bytes: [UInt8], by signer: Minisign? = nil, called name: String = "m.json")
        async throws
    {
        let signature = try await (signer ?? self.signer).sign(bytes, called: name)
        stock.server.serve("/m.json.minisig", Resource(.bytes(signature)))
    }

    private static let content = Content.pattern(lengthBytes: 1000, seed: 1)

    @Test func aSignedManifestIsFollowedAndTheSignersWordsAreShown() async throws {
        try await serveSignature(of: serve())
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(0), "\(run)")
        #expect(run.errorText.contains("m: signed with the key \(signer.id): timestamp:"), "\(run)")
        #expect(try stock.difference("a", Self.content) == nil)
    }

    /// What may stand for a key.
    @Test func aKeyMayBeItsTextOrItsFile() async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.sync("--public-key", signer.publicKeyPath).status == .exited(0))
        let other = try await Minisign(in: stock.directory, named: "other")
        #expect(
            try await stock.sync("-P", other.publicKeyPath, "-P", signer.publicKey).status == .exited(0),
            "one of several is enough")
        let wrong = try await stock.sync("--public-key", stock.directory["nothing.pub"])
        #expect(wrong.status == .exited(64), "\(wrong)")
        #expect(wrong.errorText.contains("nothing.pub"), "\(wrong)")
    }

    /// The one that is here has the serial, and other bytes; it isn't what was published.
    @Test func whatIsDamagedHereKeepsNoSignedManifestOut() async throws {
        let bytes = serve()
        try await serveSignature(of: bytes)
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        let path = "\(stock.library)/current/m/.manifest.json"
        let damaged = String(decoding: bytes, as: UTF8.self).replacing("a.bin", with: "b.bin")
        try writeFile(Array(damaged.utf8), to: path)
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(0), "\(run)")
        #expect(try readFile(path) == bytes)
    }

    @Test func settingsNameKeysToo() async throws {
        let bytes = serve()
        let settings = try stock.directory.write(#"{"publicKeys": ["\#(signer.publicKeyPath)"]}"#.utf8, to: "c.json")
        #expect(try await stock.sync("--config", settings).status == .exited(77))
        try await serveSignature(of: bytes)
        #expect(try await stock.sync("--config", settings).status == .exited(0))
    }

    @Test func anUnsignedManifestIsRefusedAndWhatIsPublishedStays() async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        stock.server.serve("/m.json.minisig", always: .errorPage(404))
        serve("b", serial: 2)
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("it isn't signed: there is no \(stock.manifestURL).minisig"), "\(run)")
        #expect(try stock.published() == ["a"])
    }

    /// Since when, and why, until it is followed again.
    @Test func whatIsRefusedIsToldByStatus() async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        try await serveSignature(of: [1])
        for serial in [2, 3] {
            serve("b", serial: serial)
            #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(77))
        }
        let status = try await LarderProgram.run(["status", "--library", stock.library])
        let line = try #require(status.outputLines.first { $0.hasPrefix("not followed for") }, "\(status)")
        #expect(line.contains("\(stock.manifestURL): the signature is of other bytes"), "\(line)")
        #expect(status.outputLines.count { $0.hasPrefix("not followed") } == 1)
        try await serveSignature(of: serve("b", serial: 3))
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        let after = try await LarderProgram.run(["status", "--library", stock.library])
        #expect(!after.outputText.contains("not followed"), "\(after)")
    }

    /// Nobody asks for it at its old place any more.
    @Test(arguments: ["forgotten", "followed from elsewhere", "forgotten, and never published"])
    func whatWasRefusedIsNotToldAnyMoreOnceItIs(_ fate: String) async throws {
        let bytes = serve()
        try await serveSignature(of: [1])
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(77))
        func status() async throws -> ChildProcess.Result {
            try await LarderProgram.run(["status", "--library", stock.library])
        }
        #expect(try await status().outputText.contains("not followed for"))
        if fate != "forgotten, and never published" {
            stock.server.serve("/moved.json", Resource(.bytes(bytes)))
            if fate == "forgotten" {
                // Another run at the old place refuses it again, after it was published.
                #expect(try await stock.sync(manifests: [stock.server.url("/moved.json")]).status == .exited(0))
                #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(77))
                #expect(try await status().outputText.contains("not followed for"))
            } else {
                #expect(try await stock.sync(manifests: [stock.server.url("/moved.json")]).status == .exited(0))
            }
        }
        if fate != "followed from elsewhere" {
            let forgotten = try await LarderProgram.run(["forget", "m", "--library", stock.library])
            #expect(forgotten.status == .exited(0) && forgotten.outputText.contains("forgotten"), "\(forgotten)")
        }
        let after = try await status()
        #expect(!after.outputText.contains("not followed"), "\(after)")
    }

    /// Keys are the run's; who leaves them out may not mean it.
    @Test(arguments: [true, false]) func aManifestThatIsNotHeldToItsSignatureAnyMoreIsToldOfOnce(
        isUnchanged: Bool
    ) async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.refresh("--public-key", signer.publicKey).status == .exited(0))
        if !isUnchanged { serve("b", serial: 2) }
        let first = try await stock.refresh()
        #expect(first.status == .exited(0), "\(first)")
        #expect(
            first.problems.count == 1
                && first.errorText.contains("\(stock.manifestURL): it was read with --public-key before"), "\(first)")
        let second = try await stock.refresh()
        #expect(second.status == .exited(0) && second.errorText == "", "\(second)")
    }

    @Test func aSignatureOfAnotherKeyIsRefused() async throws {
        let other = try await Minisign(in: stock.directory, named: "other")
        try await serveSignature(of: serve(), by: other)
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("signed with the key \(other.id), which isn't among"), "\(run)")
    }

    /// The manifest was changed after it was signed, by a byte that means nothing.
    @Test func aSignatureOfOtherBytesIsRefused() async throws {
        try await serveSignature(of: serve() + [0x20])
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("the signature is of other bytes"), "\(run)")
    }

    /// Both files are right, and stand in the place of two others.
    @Test func aSignedManifestUnderAnotherNameIsRefused() async throws {
        try await serveSignature(of: serve(), called: "other.json")
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("is of a file called 'other.json'"), "\(run)")
    }

    @Test func aPortalsPageIsNoSignature() async throws {
        serve()
        stock.server.serve("/m.json.minisig", Resource(.text("<!doctype html><title>Login</title>")))
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(66), "\(run)")
        #expect(run.errorText.contains("captive portal"), "\(run)")
    }

    /// Both files are right, and of the same signer; they stand in the place of two others.
    @Test func anotherManifestInThePlaceOfTheOneThatWasReadThereIsRefused() async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        let other = Stock.manifest([stock.file("z", Self.content)], id: "zoo")
        stock.server.serve("/m.json", Resource(.text(other)))
        try await serveSignature(of: Array(other.utf8))
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("it is the manifest 'zoo', and 'm' was read there before"), "\(run)")
        #expect(try stock.published() == ["a"])
        // The way out.
        #expect(try await LarderProgram.run(["forget", "m", "--library", stock.library]).status == .exited(0))
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
    }

    @Test func aSignatureThatDoesNotSayOfWhichFileItIsIsRefused() async throws {
        let path = try stock.directory.write(serve(), to: "signed/m.json")
        try await signer.sign(path, ["-t", "the museum's"])
        stock.server.serve("/m.json.minisig", Resource(.bytes(try readFile("\(path).minisig"))))
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("doesn't say of which file"), "\(run)")
    }

    @Test func standardInputHasNoSignature() async throws {
        let run = try await LarderProgram.run(
            stock.arguments(["--public-key", signer.publicKey], manifests: ["-"]),
            input: serve())
        #expect(run.status == .exited(77), "\(run)")
    }

    /// Signatures don't tell which of two manifests with one serial is the later one.
    @Test func anotherManifestWithTheSameSerialIsRefused() async throws {
        try await serveSignature(of: serve())
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        try await serveSignature(of: serve("b"))
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(77), "\(run)")
        #expect(run.errorText.contains("same serial 1"), "\(run)")
        #expect(try stock.published() == ["a"])
    }

    /// A server that answers "unchanged" is asked for the signature all the same: the library may have been stocked without one.
    @Test func anUnchangedManifestIsHeldAgainstItsSignatureToo() async throws {
        let bytes = serve()
        let refresh = ["refresh", stock.manifestURL, "--library", stock.library, "--retries", "0", "--min-free", "0"]
        #expect(try await LarderProgram.run(refresh).status == .exited(0))
        let unsigned = try await LarderProgram.run(refresh + ["--public-key", signer.publicKey])
        #expect(unsigned.status == .exited(77), "\(unsigned)")
        try await serveSignature(of: bytes)
        let signed = try await LarderProgram.run(refresh + ["--public-key", signer.publicKey])
        #expect(signed.status == .exited(0), "\(signed)")
        #expect(signed.errorText.isEmpty, "\(signed)")
        // By now it is known whose it is.
        let requests = stock.server.log.count
        let again = try await LarderProgram.run(refresh + ["--public-key", signer.publicKey])
        #expect(again.status == .exited(0), "\(again)")
        #expect(stock.server.log.dropFirst(requests).map(\.request.path) == ["/m.json"])
        let other = try await Minisign(in: stock.directory, named: "other")
        let changed = try await LarderProgram.run(refresh + ["--public-key", other.publicKey])
        #expect(changed.status == .exited(77), "\(changed)")
    }

    /// The two files can't be replaced at once.
    @Test func aManifestThatIsReplacedBetweenTheTwoRequestsIsReadAgain() async throws {
        let old = Resource(.bytes(serve()))
        try await serveSignature(of: serve(serial: 2))
        stock.server.script("/m.json", [.resource(old)])
        let run = try await stock.sync("--public-key", signer.publicKey)
        #expect(run.status == .exited(0), "\(run)")
        #expect(stock.server.exchanges("/m.json").count == 2)
    }
}
