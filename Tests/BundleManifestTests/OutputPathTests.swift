import Testing

@testable import BundleManifest

/// Which paths of one bundle can't stand beside each other.
@Suite struct OutputPathTests {
    private func collisions(_ paths: [String]) -> [String] {
        OutputPaths.collisions(among: paths).map { "\($0.rule.rawValue) \($0.first) \($0.again)" }.sorted()
    }

    @Test(
        arguments: [
            ([], []), (["a", "b/a", "b/b", "c"], []), (["", "", "a"], []),
            // What sorts before a slash comes between a file and what would be in it.
            (["a", "a b", "a-b", "a.b", "a/b"], ["P009 0 4"]), (["a b", "a/b", "a"], ["P009 1 2"]),
            (["a", "a", "a"], ["P008 0 1", "P008 0 2"]),
            // One finding for a file, however much is beneath it.
            (["a/b", "a/c", "a", "a/d/e"], ["P009 0 2"]), (["a", "a/b", "a/b/c"], ["P009 0 1", "P009 1 2"]),
            (["\u{E9}/a", "e\u{301}/a"], ["P008 0 1"]), (["\u{E9}", "e\u{301}/a"], ["P009 0 1"]),
            (["A", "a", "A"], ["P008 0 2", "P012 0 1"]), (["A/x", "a/y"], []), (["A/x", "a"], ["P012 0 1"]),
            (["\u{C9}", "e\u{301}"], ["P012 0 1"]), (["B", "a", "C/b"], []),
        ] as [([String], [String])])
    func eachCollisionIsFoundOnce(_ paths: [String], _ expected: [String]) {
        #expect(collisions(paths) == expected)
        // In whatever order they come, as many are found.
        #expect(collisions(paths.reversed()).count == expected.count)
    }

    /// Two thousand folders in each of these would be a tree of five million.
    @Test(.timeLimit(.minutes(1))) func deepPathsTakeNoMoreThanTheirText() {
        let folders = String(repeating: "a/", count: 1900)
        var paths = (0..<2500).map { "\($0 % 50)/\(folders)\($0)" }
        #expect(collisions(paths) == [])
        paths.append("7")
        paths.append("8/A")
        #expect(collisions(paths) == ["P009 7 2500", "P012 8 2501"])
    }

    @Test(.timeLimit(.minutes(1))) func aManifestWithTooDeepPathsIsRefusedInNoTime() {
        let folders = String(repeating: "a/", count: 1900)
        let entries = (0..<2500).map { #"{"path": "\#(folders)\#($0)", "urls": ["u"]}"# }
        let text = manifest(bundles: #"[{"id": "b", "kind": "files", "files": [\#(entries.joined(separator: ","))]}]"#)
        let found = decode(text).diagnostics.filter { $0.id == ManifestRule.pathTooDeep.rawValue }
        #expect(found.count == 100 && found.last?.othersCount == 2400)
    }
}
