import FaultServer
import TestSupport
import Testing

/// The display on a real terminal.
@Suite struct LiveProgressTests {
    @Test(arguments: [80, 40, 20])
    func itIsRedrawnInItsWidthAndNothingOfItRemains(columns: Int) async throws {
        let stock = try Stock()
        let names = (1...3).map { "bundle-with-a-rather-long-name-\($0)" }
        stock.serveManifest(
            names.enumerated().map { index, name in
                stock.file(name, .pattern(lengthBytes: 600_000, seed: UInt64(index))) {
                    $0.altered { $1.paced(bytesPerSecond: 600_000) }
                }
            } + [#"{"id": "gone", "kind": "ebook", "urls": ["gone.epub"]}"#])

        let session = try await TerminalSession.run([try LarderProgram.path] + stock.arguments(), columns: columns)

        #expect(session.status == 2)
        let redraws = session.sent.components(of: "\u{1b}[J")
        #expect(redraws >= 4, "\(redraws) redraws")
        #expect(session.sent.contains("/4 bundles"), "\(session.sent)")
        if columns == 80 { #expect(session.sent.contains("%") && session.sent.contains("[#")) }
        let drawn = session.sent.split(separator: "\r\n").filter {
            $0.contains("bundle-with") || $0.contains("bundles")
        }
        for line in drawn {
            let text = line.split(separator: "\u{1b}[J").last ?? line
            #expect(text.unicodeScalars.count < columns, "\(text)")
        }
        #expect(session.screen.count == 2, "\(session.screen)")
        #expect(session.screen.first?.contains("m/gone: ") == true)
        #expect(session.screen.last?.hasPrefix("3 published, 0 unchanged, 1 failed; ") == true, "\(session.screen)")
    }

    @Test(arguments: ["--no-progress", "--quiet"])
    func whoDoesNotWantItDoesNotGetIt(option: String) async throws {
        let stock = try Stock()
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 300_000, seed: 1)) {
                $0.altered { $1.paced(bytesPerSecond: 600_000) }
            }
        ])
        let session = try await TerminalSession.run(
            [try LarderProgram.path] + stock.arguments([option]), columns: 80)
        #expect(session.status == 0)
        #expect(!session.sent.contains("\u{1b}"), "\(session.sent)")
        #expect(session.screen.count == (option == "--quiet" ? 0 : 1))
    }

    /// Both go to one screen, and the display would erase them.
    @Test func eventsOnTheTerminalAreNotErased() async throws {
        let stock = try Stock()
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 300_000, seed: 1)) {
                $0.altered { $1.paced(bytesPerSecond: 600_000) }
            }
        ])
        let session = try await TerminalSession.run(
            [try LarderProgram.path] + stock.arguments(["--json"]), columns: 80)
        #expect(session.status == 0)
        #expect(session.sent.contains(#""event":"run-finished""#) || session.sent.contains("{"), "\(session.sent)")
        #expect(!session.sent.contains("\u{1b}"), "\(session.sent)")
    }

    @Test func aFetchShowsHowFarItIs() async throws {
        let stock = try Stock()
        stock.server.serve(
            "/film.bin",
            Resource(.pattern(lengthBytes: 600_000, seed: 1)).altered { $1.paced(bytesPerSecond: 600_000) })
        let session = try await TerminalSession.run(
            [try LarderProgram.path, "fetch", stock.server.url("/film.bin"), "-o", stock.directory["film.bin"]],
            columns: 80)
        #expect(session.status == 0)
        #expect(session.sent.contains("film.bin") && session.sent.contains(" of 600.0 kB"), "\(session.sent)")
        #expect(!session.sent.contains("0/0 bundles"))
        #expect(session.screen.count == 1 && session.screen.first?.hasPrefix("complete; ") == true, "\(session.screen)")
    }

    @Test func whatIsFetchedToTheTerminalIsNotErased() async throws {
        let stock = try Stock()
        let lines = (1...20).map { "this is line \($0)" }
        stock.server.serve(
            "/notes.txt",
            Resource(.text(lines.map { "\($0)\n" }.joined())).altered { $1.paced(bytesPerSecond: 300) })
        let session = try await TerminalSession.run(
            [try LarderProgram.path, "fetch", stock.server.url("/notes.txt"), "-o", "-"], columns: 80)
        #expect(session.status == 0 && session.sent.contains("\u{1b}[J"), "there was a display: \(session.sent)")
        #expect(session.screen.dropLast() == lines[...], "\(session.screen)")
        #expect(session.screen.last?.hasPrefix("complete; ") == true, "\(session.screen)")
    }

    @Test func whatARehearsalTellsIsNotErased() async throws {
        let stock = try Stock()
        stock.serveManifest((1...3).map { stock.file("a\($0)", .pattern(lengthBytes: 1000, seed: $0)) })
        let told = try await stock.sync("--dry-run")
        let manifest = Stock.manifest((1...3).map { stock.file("a\($0)", .pattern(lengthBytes: 1000, seed: $0)) })
        stock.server.serve("/m.json", Resource(.text(manifest)).altered { $1.paced(bytesPerSecond: 1000) })
        let session = try await TerminalSession.run(
            [try LarderProgram.path] + stock.arguments(["--dry-run"]), columns: 200)
        #expect(session.status == 0 && session.sent.contains("\u{1b}[J"), "there was a display: \(session.sent)")
        // How much of the disk is free may differ.
        #expect(session.screen.count == told.outputLines.count && told.outputLines.count > 3, "\(session.screen)")
        #expect(session.screen.dropLast() == told.outputLines.dropLast(), "\(session.screen)")
    }
}

extension String {
    fileprivate func components(of separator: String) -> Int { split(separator: separator).count - 1 }
}
