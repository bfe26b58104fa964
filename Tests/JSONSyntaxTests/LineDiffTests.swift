import Diagnostics
import TestSupport
import Testing

/// Diffs of edits anywhere in a text: `patch` makes of the old text what the edits make of it.
@Suite struct LineDiffTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func patchMakesWhatTheEditsMake() async throws {
        var random = SplitMix64(seed: 1)
        var diffs: [UInt8] = []
        var expected: [String: [UInt8]] = [:]
        for number in 1...300 {
            let (old, edits) = Self.edits(&random)
            let new = old.applying(edits)
            let name = "\(number)"
            let diff = LineDiff(name: name, of: old, edits: edits).bytes
            #expect(diff.isEmpty == (new == old))
            // An empty file and none are one to it.
            guard !old.isEmpty, !new.isEmpty else { continue }
            try directory.write(old, to: name)
            expected[name] = new
            diffs += diff
        }
        let made = try await ChildProcess.run(
            Tool.path("patch"), ["--silent", "--strip", "0"], directory: directory.path, input: diffs)
        #expect(made.status == .exited(0), "\(made)")
        for (name, new) in expected { #expect(try directory.read(name) == new, "\(name)") }
    }

    @Test func whatBecomesOfNothing() {
        let diff = LineDiff(name: "x", of: [], edits: [TextEdit(SourceRange(at: 0), "a\nb\n")])
        #expect(String(decoding: diff.bytes, as: UTF8.self) == "--- x\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n")
    }

    private static func edits(_ random: inout SplitMix64) -> (text: [UInt8], edits: [TextEdit]) {
        let lines = (0...Int.random(in: 0...20, using: &random)).map { _ in
            ["a", "b", "", "cc", "d d"].randomElement(using: &random) ?? ""
        }
        let text = Array((lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")).utf8)
        var edits: [TextEdit] = []
        var position = 0
        while position <= text.count, edits.count < 4 {
            let start = Int.random(in: position...text.count, using: &random)
            let end = Int.random(in: start...min(start + 5, text.count), using: &random)
            let replacement = ["", "x", "\n", "y\nz", "w\n"].randomElement(using: &random) ?? ""
            edits.append(TextEdit(SourceRange(start: start, end: end), replacement))
            position = end + 1
        }
        return (text, edits)
    }
}
