import Glibc
import TestSupport
import Testing

@testable import Platform

/// What keeps the machine awake, with a stand-in for `systemd-inhibit`.
@Suite struct SleepInhibitorTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func standIn(_ script: String) throws -> String {
        let path = try folder.write("#!/bin/sh\n\(script)\n".utf8, to: "stand-in")
        try #require(chmod(path, 0o755) == 0)
        return path
    }

    /// Nobody tells when another process has written a file.
    private func text(of name: String) async throws -> String {
        for _ in 0..<2_000 {
            if let bytes = try? folder.read(name), bytes.last == UInt8(ascii: "\n") {
                return String(decoding: bytes, as: UTF8.self)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(name) was never written")
        return ""
    }

    @Test func itRunsAsLongAsItIsHeldAndGetsNothingElseOfOurs() async throws {
        // A descriptor that doesn't close by itself, as some libraries leave them.
        let leak = try #require([dup(0)].first)
        defer { close(leak) }
        let program = try standIn(
            """
            for number in 0 1 2 3 4 5 6 7 8 9; do
                [ -e /proc/$$/fd/$number ] && echo "open $number $(readlink /proc/$$/fd/$number)"
            done > '\(folder["beginning"])'
            echo "$@" >> '\(folder["beginning"])'
            mv '\(folder["beginning"])' '\(folder["began"])'
            cat
            echo over > '\(folder["over"])'
            """)
        var inhibitor = SleepInhibitor(why: "fetching media", program: program)
        #expect(inhibitor != nil)
        let lines = try await text(of: "began").split(separator: "\n")
        #expect(lines.last == "--what=idle --who=larder --why=fetching media --mode=block cat")
        // Its outputs are redirected where the script says so; what it had before that is known of the others.
        #expect(lines.count == 4 && lines[0].hasPrefix("open 0 socket:") && lines[2] == "open 2 /dev/null", "\(lines)")
        #expect((try? folder.read("over")) == nil)
        inhibitor = nil
        #expect(try await text(of: "over") == "over\n")
    }

    @Test func whereThereIsNoneNothingHappens() throws {
        #expect(SleepInhibitor(why: "", program: folder["missing"]) != nil)
        #expect(SleepInhibitor(why: "", program: try standIn("exit 1")) != nil)
    }
}
