import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// `larder validate --online` and `--deep`, as their users call them.
@Suite struct ValidateContentTests {
    private let directory: TestSupport.TemporaryDirectory
    private static let film = Array("the film\n".utf8)

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Self.film, to: "film.txt")
        try directory.write(storedZip(["set/a.txt": Self.film]), to: "set.zip")
    }

    private func validate(
        _ arguments: String..., environment: [String: String]? = nil
    ) async throws -> ChildProcess.Result {
        try await LarderProgram.run(
            ["validate", "m.json", "--format", "short"] + arguments, environment: environment, directory: directory.path
        )
    }

    /// A manifest of a text and an archive.
    private func write(
        version: String = "1", film: [UInt8] = film, size: Int? = nil, urls: String = #""film.txt""#
    ) throws {
        let digest = SHA256.digest(of: film)
        let archive = SHA256.digest(of: try directory.read("set.zip"))
        let text = """
            {"format": "larder/1", "id": "m", "serial": 1, "bundles": [
              {"id": "f", "kind": "files", "version": "\(version)", "files": [
                {"path": "film.txt", "urls": [\(urls)], "size": \(size ?? film.count), "sha256": "\(digest)"}]},
              {"id": "s", "kind": "archive", "urls": ["set.zip", "http://127.0.0.1:1/set.zip"], "sha256": "\(archive)"}
            ]}
            """
        try directory.write(text.utf8, to: "m.json")
    }

    @Test func withoutBeingAskedForNothingIsOpenedOrAsked() async throws {
        try write(size: 1, urls: #""http://127.0.0.1:1/x", "film.txt""#)
        let result = try await validate()
        #expect(result.status == .exited(0) && !result.outputText.contains("error"), "\(result)")
    }

    @Test func findingsOfAllKindsComeInTheOrderOfTheText() async throws {
        let server = try FaultServer()
        try write(size: 3, urls: #""\#(server.url("/gone"))", "film.txt""#)
        let result = try await validate("--online", "--deep", "--severity", "error")
        #expect(result.status == .exited(1), "\(result)")
        let ids = result.outputText.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(ids == ["error[O004]:", "error[F003]:", "error[O001]:"], "\(result)")
        #expect(result.errorText == "3 errors in 1 manifest\n")
    }

    @Test func onRequestItSaysHowFarItIs() async throws {
        let (server, gate) = (try FaultServer(), try Gate())
        server.serve("/film.txt", Resource(.bytes(Self.film)).altered { $1.headHeld(until: gate) })
        try write(urls: #""\#(server.url("/film.txt"))""#)
        let path = directory["m.json"]
        let run = try LarderProgram.start(["validate", path, "--online", "--severity", "error"])
        try await server.waitForRequest("/film.txt")
        run.kill(SIGUSR1)
        try await run.wait(for: "a line of progress") {
            $0.errorText == "0 of 1 manifest checked, at \(path)\n" ? () : nil
        }
        gate.open()
        _ = try await run.waitForExit()
    }

    @Test func theSettingsOfConfigHoldForTheSources() async throws {
        let server = try FaultServer()
        server.serve("/film.txt", Resource(.bytes(Self.film)).requiring(authorization: "Bearer x"))
        try write(urls: #""\#(server.url("/film.txt"))""#)
        try directory.write(#"{"headers": {"Authorization": "Bearer x"}}"#.utf8, to: "config.json")
        let without = try await validate("--online")
        #expect(without.outputText.contains("error[O004]") && without.outputText.contains("401"), "\(without)")
        let with = try await validate("--online", "--config", "config.json")
        #expect(!with.outputText.contains("O004"), "\(with)")
        try directory.write(#"{"hedders": {}}"#.utf8, to: "config.json")
        let wrong = try await validate("--online", "--config", "config.json")
        #expect(wrong.status == .exited(64) && wrong.errorText.contains("did you mean \"headers\""), "\(wrong)")
    }

    @Test func redirectsAreFollowedAsConfigSays() async throws {
        let server = try FaultServer()
        server.serve("/film.txt", Resource(.bytes(Self.film)))
        server.serve("/moved.txt", always: .redirect(to: "/film.txt"))
        try write(urls: #""\#(server.url("/moved.txt"))""#)
        #expect(try await !validate("--online").outputText.contains("O013"))
        try directory.write(#"{"maxRedirects": 0}"#.utf8, to: "config.json")
        let refused = try await validate("--online", "--config", "config.json")
        #expect(refused.status == .exited(1) && refused.outputText.contains("error[O013]"), "\(refused)")
    }

    @Test func theDeadlineEndsIt() async throws {
        let server = try FaultServer()
        let never = try Gate()
        server.serve("/film.txt", always: .status(200).headHeld(until: never))
        try write(urls: #""\#(server.url("/film.txt"))""#)
        let result = try await validate("--online", "--deadline", "1s")
        #expect(result.outputText.contains("warning[O020]"), "\(result)")
    }

    @Test func theSourcesOfARemoteManifestAreBesideIt() async throws {
        let server = try FaultServer()
        try write()
        server.serve("/m/m.json", Resource(.bytes(try directory.read("m.json"))))
        server.serve("/m/film.txt", Resource(.bytes(Self.film)))
        let result = try await LarderProgram.run(
            ["validate", server.url("/m/m.json"), "--online", "--deep", "--format", "short", "--allow", "U012"])
        let ids = result.outputText.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(ids == ["note[F020]:", "error[O004]:", "error[O001]:"], "\(result)")
        #expect(result.outputText.contains("2 downloads are not reachable locally"), "\(result)")
    }

    // MARK: A library

    private func sync() async throws {
        let result = try await LarderProgram.run(["sync", directory["m.json"], "--library", directory["library"]])
        #expect(result.status == .exited(0), "\(result)")
    }

    @Test func whatTheLibraryHoldsIsOpened() async throws {
        try write()
        try await sync()
        try write(urls: #""http://127.0.0.1:1/film.txt""#)
        let fine = try await validate("--deep", "--library", "library")
        #expect(!fine.outputText.contains("[F"), "\(fine)")
        // Neither the text nor, beside the archive, anything else is here without the library.
        let without = try await validate("--deep")
        #expect(without.outputText.contains("note[F020]: a download is not"), "\(without)")

        let content = directory["library/current/m/f/film.txt"]
        try writeFile(Array("the Film\n".utf8), to: content)
        let damaged = try await validate("--deep", environment: inherited(["LARDER_LIBRARY": directory["library"]]))
        #expect(damaged.outputText.contains("error[F002]: the SHA-256 of 'film.txt' in the library is"), "\(damaged)")
    }

    private func inherited(_ more: [String: String]) -> [String: String] {
        ChildProcess.inheritedEnvironment.merging(more) { $1 }
    }

    @Test func whatTheLibraryKeepsOfAnOlderVersionIsOpenedToo() async throws {
        try write()
        try await sync()
        let new = Array("the sequel\n".utf8)
        try directory.write(new, to: "film.txt")
        try write(version: "2", film: new)
        try await sync()
        try write(urls: #""http://127.0.0.1:1/film.txt""#)
        let result = try await validate("--deep", "--library", "library")
        #expect(!result.outputText.contains("[F"), "\(result)")
    }

    @Test func aVersionThatTheLibraryHasWithOtherContentIsTold() async throws {
        try write()
        try await sync()
        let new = Array("the sequel\n".utf8)
        try directory.write(new, to: "film.txt")
        try write(film: new)
        let result = try await validate("--deep", "--library", "library")
        #expect(
            result.status == .exited(1) && result.outputText.split(separator: "error[V003]").count == 2, "\(result)")
        try write(version: "2", film: new)
        #expect(try await validate("--deep", "--library", "library").outputText.contains("[V003]") == false)
    }

    @Test func theSameFilesInAnotherOrderAreTheVersionThatIsHere() async throws {
        func write(_ order: [String]) throws {
            let files = try order.map { name in
                let digest = SHA256.digest(of: try directory.read(name))
                return #"{"path": "\#(name)", "urls": ["\#(name)"], "sha256": "\#(digest)"}"#
            }
            let bundle = #"{"id": "f", "kind": "files", "version": "1", "files": [\#(files.joined(separator: ","))]}"#
            try directory.write(
                #"{"format": "larder/1", "id": "m", "serial": 1, "bundles": [\#(bundle)]}"#.utf8, to: "m.json")
        }
        try write(["film.txt", "set.zip"])
        try await sync()
        try write(["set.zip", "film.txt"])
        let result = try await validate("--deep", "--library", "library")
        #expect(!result.outputText.contains("[V003]"), "\(result)")
    }

    /// One is open at a time, however many there are.
    @Test func moreSourcesThanMayBeOpenAtOnceAreAllOpened() async throws {
        let names = (0..<100).map { "copy-\($0).txt" }
        for name in names { try directory.write(Self.film, to: name) }
        try write(size: 3, urls: names.map { "\"\($0)\"" }.joined(separator: ","))
        let arguments = ["-c", #"ulimit -n 40; exec "$@""#, "sh", try LarderProgram.path]
        let result = try await ChildProcess.run(
            "sh", arguments + ["validate", directory["m.json"], "--deep", "--format", "short"])
        #expect(result.outputText.split(separator: "error[F003]").count == names.count + 1, "\(result)")
    }

    @Test func aSizeThatTheLibraryKnowsBetterIsTold() async throws {
        try write()
        try await sync()
        try write(size: 3, urls: #""http://127.0.0.1:1/film.txt""#)
        let result = try await validate("--deep", "--library", "library")
        #expect(result.outputText.contains("error[F003]: the library has this digest with 9 bytes"), "\(result)")
    }

    @Test func aLibraryThatIsNoneIsUnreadable() async throws {
        try write()
        let result = try await validate("--deep", "--library", "nowhere")
        #expect(result.status == .exited(66) && result.errorText.contains("nowhere holds no library"), "\(result)")
    }
}
