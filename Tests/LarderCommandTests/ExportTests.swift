import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// `larder export`: what another library lacks, in a folder that `--from` takes.
@Suite struct ExportTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let zip = storedZip(["x.txt": Array("some text".utf8)])
    private let book = Content.pattern(lengthBytes: 5000, seed: 8)

    init() throws { library = try RestingLibrary() }

    private var stick: String { stock.directory["stick"] }

    private func publish(_ more: [String] = [], serial: Int = 1) async throws {
        stock.server.serve("/b.pdf", Resource(book))
        let ebook = #"{"id": "book", "kind": "ebook", "urls": ["b.pdf"], "sha256": "\#(book.sha256)"}"#
        stock.serveManifest([library.files(), stock.archive("pack", zip), ebook] + more, serial: serial)
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
    }

    private func export(_ more: String...) async throws -> ChildProcess.Result {
        try await LarderProgram.run(["export", "--library", stock.library, "--to", stick] + more)
    }

    private func arrive() async throws -> ChildProcess.Result {
        try await LarderProgram.run([
            "sync", "\(stick)/manifests/m.json", "--from", stick, "--library", stock.directory["second"], "--retries",
            "0", "--min-free", "0",
        ])
    }

    /// Everything in the folder but for what is unfinished.
    private func carried() throws -> [String] {
        try stock.snapshot(of: stick).map { String($0.split(separator: " ")[0].dropFirst(stick.count)) }
    }

    @Test func whatIsCarriedArrivesWithoutAnyNetwork() async throws {
        try await publish()
        let result = try await export()
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText.hasPrefix("3 bundles carried, 0 failed; 6 files written ("), "\(result)")
        #expect(stock.server.exchanges("/pack.zip").count == 2 && library.requests().values.allSatisfy { $0 == 1 })
        stock.server.stop()
        let arrival = try await arrive()
        #expect(arrival.status == .exited(0), "\(arrival)")
        #expect(
            try treeDifferences("\(stock.library)/current/m/", stock.directory["second/current/m/"]) == [])
        for path in ["set/one.txt", "pack/x.txt", "book/b.pdf"] {
            #expect(try stock.directory.read("second/current/m/\(path)") == stock.content(path))
        }
    }

    /// Whoever trusts nobody but the signer takes the manifest from the disk only with its signature. It names the file that it is of.
    @Test(arguments: ["m.json", "list of all.json"])
    func theSignatureThatAManifestWasTrustedByTravelsWithIt(name: String) async throws {
        let signer = try await Minisign(in: stock.directory)
        stock.serveManifest([library.files()])
        let manifest = Array(Stock.manifest([library.files()], serial: 1).utf8)
        let place = "/signed/" + name.replacing(" ", with: "%20")
        stock.server.serve(place, Resource(.bytes(manifest)))
        stock.server.serve(
            "\(place).minisig", Resource(.bytes(try await signer.sign(manifest, called: name))))
        for (path, content) in RestingLibrary.contents { stock.server.serve("/signed/\(path)", Resource(content)) }
        let url = stock.manifestURL.replacing("/m.json", with: place)
        // First as somebody does who asks for no signature: what is published already gets it, too.
        for keys in [[], ["--public-key", signer.publicKey], ["--public-key", signer.publicKey]] {
            let synced = try await LarderProgram.run(
                ["refresh", url, "--library", stock.library, "--min-free", "0"] + keys)
            #expect(synced.status == .exited(0), "\(synced)")
        }
        #expect(stock.server.exchanges("\(place).minisig").count == 1, "what is kept isn't asked for again")
        let exported = try await export()
        #expect(exported.status == .exited(0), "\(exported)")
        stock.server.stop()
        let carried = name == "m.json" ? "\(stick)/manifests/m.json" : "\(stick)/manifests/m.signed/\(name)"
        #expect(exported.errorText.contains("manifests/m.signed/\(name)") == (name != "m.json"), "\(exported)")
        let arrival = try await LarderProgram.run([
            "sync", carried, "--from", stick, "--library", stock.directory["second"], "--retries", "0", "--min-free",
            "0",
            "--public-key", signer.publicKey,
        ])
        #expect(arrival.status == .exited(0), "\(arrival)")
        #expect(try treeDifferences("\(stock.library)/current/m/", stock.directory["second/current/m/"]) == [])
    }

    /// The signature would be of other bytes.
    @Test func aSignatureOfAnOlderManifestDoesNotStayOnTheDisk() async throws {
        let signer = try await Minisign(in: stock.directory)
        stock.serveManifest([library.files()])
        let manifest = Array(Stock.manifest([library.files()], serial: 1).utf8)
        stock.server.serve("/m.json.minisig", Resource(.bytes(try await signer.sign(manifest, called: "m.json"))))
        #expect(try await stock.sync("--public-key", signer.publicKey).status == .exited(0))
        #expect(try await export().status == .exited(0))
        #expect(try carried().contains("/manifests/m.json.minisig"))
        stock.serveManifest([library.files()], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await export().status == .exited(0))
        #expect(try carried().filter { $0.hasPrefix("/manifests/") } == ["/manifests/m.json"])
    }

    /// Where the library keeps none; before it did, that was the only way.
    @Test func aSignatureThatSomebodyPutBesideTheManifestStaysWithIt() async throws {
        try await publish()
        #expect(try await export().status == .exited(0))
        let place = "\(stick)/manifests/m.json.minisig"
        try writeFile(Array("theirs".utf8), to: place)
        #expect(try await export().status == .exited(0))
        #expect(try readFile(place) == Array("theirs".utf8))
    }

    /// Else it would never be had anew: of a manifest that hasn't changed none is asked for.
    @Test func aKeptSignatureThatIsDamagedIsHadAnew() async throws {
        let signer = try await Minisign(in: stock.directory)
        stock.serveManifest([library.files()])
        let manifest = Array(Stock.manifest([library.files()], serial: 1).utf8)
        let signature = try await signer.sign(manifest, called: "m.json")
        stock.server.serve("/m.json.minisig", Resource(.bytes(signature)))
        let refresh = ["refresh", stock.manifestURL, "--library", stock.library, "--min-free", "0"]
        let kept = "\(stock.library)/current/m/.manifest.json.minisig"
        for damage in [nil, "", "no signature\n"] {
            if let damage {
                try writeFile(Array(damage.utf8), to: kept)
                let exported = try await export()
                #expect(exported.errorText.contains("the signature that is kept of 'm' is damaged"), "\(exported)")
            }
            let run = try await LarderProgram.run(refresh + ["--public-key", signer.publicKey])
            #expect(run.status == .exited(0), "\(run)")
            #expect(try readFile(kept) == signature)
        }
    }

    /// What stands in the way of the manifests, too, which are written last.
    @Test func aLinkInThePlaceOfTheManifestsIsFoundBeforeAnythingIsWritten() async throws {
        try await publish()
        for folder in [stick, stock.directory["elsewhere"]] { try check(mkdir(folder, 0o755), "mkdir") }
        try check(symlink(stock.directory["elsewhere"], "\(stick)/manifests"), "symlink")
        let requests = stock.server.log.count
        let result = try await export()
        #expect(result.status == .exited(1) && result.errorText.contains("manifests"), "\(result)")
        #expect(stock.server.log.count == requests)
        #expect(try carried().filter { !["", "/partial", "/manifests"].contains($0) } == [])
    }

    @Test func theFolderIsTakenFromAWebServerToo() async throws {
        try await publish()
        #expect(try await export().status == .exited(0))
        let carrier = try FaultServer()
        for path in try carried().filter({ !$0.hasPrefix("/partial") }) {
            if let bytes = try? readFile(stick + path) { carrier.serve("/stick\(path)", Resource(.bytes(bytes))) }
        }
        // An epub has no size in this manifest: nothing would bound what somebody sends for it.
        let server = stock.server
        let before = ["/one.txt", "/pack.zip", "/b.pdf"].map { server.exchanges($0).count }
        let arrival = try await LarderProgram.run([
            "sync", stock.manifestURL, "--from", carrier.url("/stick"), "--library", stock.directory["second"],
            "--retries", "0", "--min-free", "0",
        ])
        #expect(arrival.status == .exited(0), "\(arrival)")
        let asked = Swift.zip(before, ["/one.txt", "/pack.zip", "/b.pdf"]).map { server.exchanges($1).count - $0 }
        #expect(asked == [0, 1, 1], "\(arrival)")
        #expect(try stock.directory.read("second/current/m/set/one.txt") == stock.content("set/one.txt"))
    }

    @Test func whatTheOtherLibraryHasStaysHere() async throws {
        try await publish()
        let key = try String(library.store("book").split(separator: "@")[1])
        let receipt = String(decoding: try readFile(library.store("book") + ".receipt"), as: UTF8.self)
        let bookKey = try #require(receipt.firstMatch(of: #/"key": ?"([0-9a-f]{64})"/#)).output.1
        #expect(bookKey.hasPrefix(key))
        let one = try #require(RestingLibrary.contents["one.txt"])
        let status = """
            {"format": "larder-status/1", "manifests": [{"id": "m", "bundles": [
              {"id": "book", "state": "upToDate", "kind": "ebook", "key": "\(bookKey)", "sources": ["\(book.sha256)"]},
              {"id": "set", "state": "upToDate", "kind": "files", "key": "\(String(repeating: "0", count: 64))",
               "sources": ["\(one.sha256)"]},
              {"id": "pack", "state": "missing", "kind": null, "key": null, "sources": null}]}]}
            """
        try stock.directory.write(status.utf8, to: "status.json")
        let result = try await export("--for", stock.directory["status.json"])
        #expect(result.status == .exited(0), "\(result)")
        #expect(result.outputText.contains("; the other library has 1 bundle"), "\(result)")
        let names = try carried()
        #expect(!names.contains { $0.hasSuffix(book.sha256) || $0.hasSuffix(one.sha256) })
        #expect(names.count { $0.hasPrefix("/sha256/") && $0.utf8.count > 70 } == 4)
    }

    @Test func aSecondExportWritesOnlyWhatIsMissing() async throws {
        try await publish()
        #expect(try await export().status == .exited(0))
        let one = try #require(RestingLibrary.contents["one.txt"])
        try check(unlink("\(stick)/sha256/\(one.sha256.prefix(2))/\(one.sha256)"), "unlink")
        let again = try await export("--json")
        #expect(again.status == .exited(0), "\(again)")
        #expect(again.events.filter { $0.name == "bundle.exported" }.compactMap { $0["files"] }.reduce(0, +) == 1)
        #expect(stock.server.exchanges("/pack.zip").count == 2)
        #expect(again.events.filter { $0.name == "bundle.exported" }.compactMap { $0["present"] }.reduce(0, +) == 5)
        let last = try await export()
        #expect(
            last.outputText == "3 bundles carried, 0 failed; 0 files written (0 B), 6 there already\n", "\(last)")
    }

    @Test func oneBundleIsOne() async throws {
        stock.serveManifest([stock.file("one", .pattern(lengthBytes: 1, seed: 1))])
        #expect(try await stock.sync().status == .exited(0))
        let result = try await export()
        #expect(
            result.outputText == "1 bundle carried, 0 failed; 1 file written (1 B), 0 there already\n", "\(result)")
    }

    /// A stick forgets: what has rotted there is no reason to leave the file at home.
    @Test(arguments: ["flipped", "short", "fifo", "linked"])
    func whatIsWrongOnTheDiskIsWrittenAnew(_ how: String) async throws {
        try await publish()
        #expect(try await export().status == .exited(0))
        let one = try #require(RestingLibrary.contents["one.txt"])
        let name = "\(stick)/sha256/\(one.sha256.prefix(2))/\(one.sha256)"
        switch how {
        case "flipped": try library.flip(name)
        case "short": try check(truncate(name, 10), "truncate")
        case "linked":
            try check(unlink(name), "unlink")
            try check(symlink("/etc/passwd", name), "symlink")
        default:
            try check(unlink(name), "unlink")
            try check(mkfifo(name, 0o644), "mkfifo")
        }
        let again = try await export()
        #expect(again.status == .exited(0), "\(again)")
        #expect(again.outputText.contains("; 1 file written (5.0 kB), 5 there already"), "\(again)")
        #expect(contentDifference(one.bytes(), try readFile(name)) == nil)
    }

    @Test(arguments: ["000", "077"]) func modesAreThoseOfALibraryWhateverTheUmask(_ umask: String) async throws {
        try await publish()
        let result = try await ChildProcess.run(
            "sh",
            [
                "-c", "umask \(umask) && exec \"$0\" \"$@\"", try LarderProgram.path, "export", "--library",
                stock.library,
                "--to", stick,
            ])
        #expect(result.status == .exited(0), "\(result)")
        let modes = try await ChildProcess.run("find", [stick, "-mindepth", "1", "-printf", "%y %m\n"])
        #expect(Set(modes.outputLines) == ["f 644", "d 755"], "\(modes)")
    }

    @Test func aLibraryAndWhatIsWrittenOfItLieApart() async throws {
        try await publish()
        try check(symlink(stock.library, stock.directory["link"]), "symlink")
        let before = try stock.snapshot()
        for target in ["library", "library/store/new/stick", "", "link/stick", "library/../library/stick"] {
            let result = try await LarderProgram.run([
                "export", "--library", stock.library, "--to", stock.directory[target],
            ])
            #expect(result.status == .exited(64) && result.problems.count == 1, "\(target): \(result)")
        }
        #expect(try stock.snapshot() == before)
        // Beside it, with a name that begins alike.
        #expect(
            try await LarderProgram.run(["export", "--library", stock.library, "--to", "\(stock.library)-stick"]).status
                == .exited(0))
    }

    @Test func anotherLibraryIsNoPlaceToWriteTo() async throws {
        try await publish()
        let other = try await LarderProgram.run([
            "sync", stock.manifestURL, "--library", stick, "--min-free", "0",
        ])
        #expect(other.status == .exited(0))
        let result = try await export()
        #expect(result.status == .exited(64) && result.errorText.contains("is a library"), "\(result)")
    }

    @Test(arguments: ["for", "copy"]) func aFIFOHoldsNothingUp(_ place: String) async throws {
        try await publish()
        let path =
            place == "for"
            ? stock.directory["status.json"] : try stock.directory.makeDirectory("stick/partial") + "/copy"
        try check(mkfifo(path, 0o644), "mkfifo")
        let more = place == "for" ? ["--for", path] : []
        let result = try await LarderProgram.run(
            ["export", "--library", stock.library, "--to", stick] + more, within: .seconds(20))
        #expect(result.status == .exited(place == "for" ? 66 : 0), "\(result)")
        if place == "for" { #expect(result.errorText.contains("no regular file"), "\(result)") }
    }

    @Test func damageIsNotCarried() async throws {
        try await publish()
        try library.flip("\(library.store())/one.txt")
        #expect(try await export().status == .exited(0))
        let one = try #require(RestingLibrary.contents["one.txt"])
        let name = "\(stick)/sha256/\(one.sha256.prefix(2))/\(one.sha256)"
        #expect(contentDifference(one.bytes(), try readFile(name)) == nil)
        #expect(stock.server.exchanges("/one.txt").count == 2, "it was fetched instead")
    }

    @Test func whatCannotBeCarriedIsToldAndTheRestIs() async throws {
        try await publish([stock.file("bare", .pattern(lengthBytes: 10, seed: 1), hasDigest: false)])
        let result = try await export()
        #expect(result.status == .exited(2), "\(result)")
        #expect(result.errorText.contains("m/bare") && result.outputText.hasPrefix("3 bundles carried"), "\(result)")
    }

    /// Nothing is asked for over a network, and what isn't kept as it was fetched is taken from where the manifest says.
    @Test func filesOfThisMachineAreCarriedToo() async throws {
        let files = [("pack", "archive", zip), ("book", "ebook", book.bytes())]
        let bundles = try files.map { id, kind, bytes in
            let path = try stock.directory.write(bytes, to: "origin/\(id)")
            return
                #"{"id": "\#(id)", "kind": "\#(kind)", "urls": ["file://\#(path)"], "sha256": "\#(SHA256.digest(of: bytes))"}"#
        }
        let manifest = try stock.directory.write(Stock.manifest(bundles).utf8, to: "origin/m.json")
        #expect(try await stock.sync(manifests: [manifest]).status == .exited(0))
        let result = try await export()
        #expect(result.status == .exited(0) && result.errors.isEmpty, "\(result)")
        #expect(result.outputText.hasPrefix("2 bundles carried, 0 failed; 2 files written ("), "\(result)")
    }

    @Test func aManifestThatIsLeftOutIsNoSuccess() async throws {
        try await publish()
        try stock.directory.write(
            Stock.manifest([#"{"id": "b", "kind": "ebook", "urls": ["\#(stock.server.url("/b.pdf"))"]}"#], id: "other")
                .utf8, to: "other.json")
        #expect(try await stock.sync(manifests: [stock.directory["other.json"]]).status == .exited(0))
        func damage(_ id: String) throws {
            let path = "\(stock.library)/current/\(id)/.manifest.json"
            try check(unlink(path), "unlink")
            try writeFile(Array("{".utf8), to: path)
        }
        try damage("other")
        let partly = try await export()
        #expect(partly.status == .exited(2) && partly.errorText.contains("'other' can't be read"), "\(partly)")
        #expect(partly.outputText.hasPrefix("3 bundles carried"), "\(partly)")
        try damage("m")
        let nothing = try await export()
        #expect(nothing.status == .exited(1), "\(nothing)")
    }

    @Test(arguments: ["{}", "not json", #"{"format": "larder-status/1"}"#])
    func whatIsNoStatusIsRefused(_ text: String) async throws {
        try await publish()
        try stock.directory.write(text.utf8, to: "status.json")
        let result = try await export("--for", stock.directory["status.json"])
        #expect(result.status == .exited(66) && access(stick, F_OK) != 0, "\(result)")
    }

    @Test(arguments: [(#"{"maxRedirects": 0}"#, "redirect"), (#"{"bodyBudget": 10}"#, "10 bytes")])
    func whatSettingsForbidIsNotDone(_ settings: String, _ reason: String) async throws {
        try await publish()
        stock.server.serve("/moved.zip", Resource(.bytes(zip)))
        if reason == "redirect" { stock.server.serve("/pack.zip", always: .redirect(to: "/moved.zip")) }
        let path = try stock.directory.write(settings.utf8, to: "settings.json")
        let result = try await export("--config", path)
        #expect(result.status == .exited(2) && result.errorText.contains(reason), "\(result)")
        #expect(stock.server.exchanges("/moved.zip").isEmpty)
    }

    /// What can't be held could be collected while it is carried.
    @Test func aGenerationThatCannotBeHeldIsNotCarried() async throws {
        try await publish()
        let generation = try OwnedDescriptor.open("\(stock.library)/current/", flags: O_RDONLY | O_DIRECTORY)
        defer { generation.unlock() }
        #expect(try generation.lock(exclusive: true))
        let result = try await export()
        #expect(result.status == .exited(75) && access(stick, F_OK) != 0, "\(result)")
    }

    @Test func aStopWhileAFileOfThisMachineIsCopiedIsNoFailure() async throws {
        // It takes some time to write.
        let origin = try stock.directory.write([], to: "origin/film")
        try check(truncate(origin, 256 << 20), "truncate")
        let hasher = Platform.SHA256()
        _ = try hasher.update(from: Platform.OwnedDescriptor.open(origin, flags: O_RDONLY))
        let bundle =
            #"{"id": "film", "kind": "ebook", "urls": ["file://\#(origin)"], "sha256": "\#(hasher.finalize())"}"#
        let manifest = try stock.directory.write(Stock.manifest([bundle]).utf8, to: "origin/m.json")
        #expect(try await stock.sync(manifests: [manifest]).status == .exited(0))
        let export = try LarderProgram.start(["export", "--library", stock.library, "--to", stick])
        try await export.terminate(once: "[ -e '\(stick)/partial/copy' ]")
        let result = try await export.waitForExit()
        #expect(result.status == .exited(143) && !result.errorText.contains("missing"), "\(result)")
    }

    @Test func oneThatIsKilledIsGoneOnWith() async throws {
        try await publish()
        stock.server.script("/pack.zip", [.altered { $0.stalled(afterBytes: 20) }])
        let export = try LarderProgram.start(["export", "--library", stock.library, "--to", stick])
        try await stock.server.waitForRequest("/pack.zip", count: 2)
        export.kill(SIGKILL)
        try await export.waitForExit()
        #expect(try await self.export().status == .exited(0))
        #expect(try await arrive().status == .exited(0))
        #expect(try stock.directory.read("second/current/m/pack/x.txt") == Array("some text".utf8))
    }
}
