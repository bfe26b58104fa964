import FaultServer
import Platform
import TestSupport
import Testing

/// The display as people see it, on a terminal that changes its size meanwhile, while a server holds every transfer at a quarter.
@Suite struct ResizedProgressTests {
    private let stock: Stock
    private let gate: Gate

    init() throws {
        stock = try Stock()
        gate = try Gate()
    }

    /// Lets `body` look at a sync of so many bundles, below a line that was there before.
    private func sync(bundles: Int, _ body: (TmuxTerminal) async throws -> Void) async throws {
        let gate = gate
        stock.serveManifest(
            (1...bundles).map { number in
                stock.file("b\(number)", .pattern(lengthBytes: 100_000, seed: UInt64(number)), hasDigest: false) {
                    $0.altered { $1.stalled(afterBytes: 25_000, until: gate) }
                }
            })
        // However long a busy machine takes for all that is looked at.
        let settings = try stock.directory.write(#"{"idleTimeout": "10m"}"#.utf8, to: "settings.json")
        let arguments = stock.arguments(["--jobs", "200", "--per-host", "200", "--split", "1", "--config", settings])
        try await TmuxTerminal.run(
            ["sh", "-c", "echo before; exec \"$@\"", "sh", try LarderProgram.path] + arguments
        ) { terminal in
            defer { gate.open() }
            try await body(terminal)
            gate.open()
            try await terminal.wait(for: "the end") { lines in
                lines.last?.hasPrefix("\(bundles) published, 0 unchanged, 0 failed; ") == true
                    && isUntouched(lines.dropLast())
            }
        }
    }

    /// Whether nothing that was drawn is left over. The line that stood above may have scrolled away: a terminal that becomes narrower breaks lines.
    private func isUntouched(_ lines: ArraySlice<String>) -> Bool { lines.allSatisfy { $0 == "before" } }

    /// The words of a line, without a rate and what is reckoned by it.
    private func steady(_ line: String) -> [Substring] {
        let words = line.split(separator: " ")
        guard let rate = words.firstIndex(where: { $0.hasSuffix("B/s") }) else { return words }
        return Array(words[..<(rate - 1)])
    }

    @Test func oneTransferLooksRightInEverySize() async throws {
        try await sync(bundles: 1) { terminal in
            let wide = ["b1", "b1.bin", "25%", "[###---------]", "100.0", "kB"]
            let whole = ["0/1", "bundles", "25.0", "kB", "of", "100.0", "kB"]
            for (columns, transfer) in [(80, wide), (40, wide.filter { $0 != wide[3] }), (80, wide), (200, wide)] {
                try await terminal.resize(columns: columns, rows: 24)
                try await terminal.wait(for: "the display at \(columns) columns") { lines in
                    lines.suffix(2).map { steady($0).map(String.init) } == [transfer, whole]
                        && lines.suffix(2).first?.count == columns - 1 && isUntouched(lines.dropLast(2))
                }
            }
        }
    }

    @Test func ofSegmentsThereAreAsManyFiguresAsFindRoom() async throws {
        let content = Content.pattern(lengthBytes: 100_000, seed: 1)
        stock.server.serve("/0.ts", Resource(content))
        stock.server.serve("/1.ts", Resource(content).altered { [gate] in $1.stalled(afterBytes: 25_000, until: gate) })
        let segments = (0..<2).map { #"{"path": "\#($0).ts", "urls": ["\#($0).ts"], "duration": 6}"# }
        stock.serveManifest([
            #"{"id": "radio", "kind": "segments", "segments": [\#(segments.joined(separator: ", "))]}"#
        ])
        let settings = try stock.directory.write(#"{"idleTimeout": "10m"}"#.utf8, to: "settings.json")
        let arguments = stock.arguments(["--split", "1", "--config", settings])
        try await TmuxTerminal.run([try LarderProgram.path] + arguments) { terminal in
            defer { gate.open() }
            let whole = "radio  1/2 segments  100.0 kB  0:06 of 0:12 of play"
            for (columns, line) in [
                (80, whole), (40, "radio  1/2 segments  100.0 kB"), (24, "radio  1/2 segments"), (80, whole),
            ] {
                try await terminal.resize(columns: columns, rows: 24)
                try await terminal.wait(for: "the segments at \(columns) columns") { $0.contains(line) }
            }
        }
    }

    @Test func ofTwoHundredThereAreAsManyAsHalfTheScreenHolds() async throws {
        try await sync(bundles: 200) { terminal in
            for (columns, rows) in [(80, 24), (40, 24), (80, 24), (80, 10)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.wait(for: "the display at \(columns) columns and \(rows) rows") { lines in
                    isDisplay(lines.suffix(rows / 2), of: rows / 2 - 2, columns)
                        && isUntouched(lines.dropLast(rows / 2))
                }
            }
        }
    }

    /// Whether the lines are those of so many transfers, of the others, and of the whole.
    private func isDisplay(_ lines: ArraySlice<String>, of transfers: Int, _ columns: Int) -> Bool {
        guard lines.count == transfers + 2, lines.allSatisfy({ $0.count < columns }) else { return false }
        let figures = columns >= 60 ? ["25%", "[###---------]", "100.0", "kB"] : ["25%", "100.0", "kB"]
        return lines.prefix(transfers).allSatisfy { line in
            let words = steady(line)
            return words.first.map {
                words.dropFirst(2).elementsEqual(figures.map { Substring($0) }) && words[1] == "\($0).bin"
            } == true
        } && lines.dropLast().last == "… and \(200 - transfers) more"
            && lines.last.map { steady($0).prefix(2) == ["0/200", "bundles"] } == true
    }
}
