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

    /// What is in order is told apart by neighbours alone; what isn't, or can't be compared byte by byte, is sorted.
    @Test(
        arguments: [
            ([], true), (["a"], true), (["a", "b", "c/a", "c/b"], true), (["a9", "a10", "a11"], true),
            (["a10", "a11", "a9"], true), (["b", "aa"], true), (["x/9", "x/10", "y/1", "z"], true),
            (["a", "a"], false), (["a", "A"], false), (["A", "b", "C"], true), (["b", "a"], false),
            (["a9", "a10", "a2"], false), (["a", "a/b"], false), (["a", "A/b"], false), (["a/b", "a"], false),
            (["a", "a b", "a/b"], false), (["", "a"], true), (["a", ""], false), (["", ""], false),
            (["\u{E9}"], false), (["a", "\u{E9}"], false), (["a", "b\u{E9}", "c"], false),
        ] as [([String], Bool)])
    func textsInOrderAreToldApart(_ texts: [String], _ expected: Bool) {
        #expect(TextOrder.tellsApart(texts) == expected)
    }

    /// However paths come, nothing is lost by the look at their order.
    @Test(arguments: 0..<200 as Range<UInt64>) func theOrderOfPathsHidesNoCollision(_ seed: UInt64) {
        var state = seed
        func draw(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let names = [
            "a", "A", "b", "ab", "a/b", "A/b", "a/B/c", "a b", "a.b", "a-", "b/1", "b/10", "b/9", "\u{E9}",
            "e\u{301}/x",
        ]
        let paths = (0..<(1 + draw(5))).map { _ in names[draw(names.count)] }
        for paths in [paths, paths.sorted()] where TextOrder.tellsApart(paths) {
            // An empty path in front of others leaves the order open, and so has them sorted.
            #expect(collisions(paths + [""]) == [])
        }
    }

    @Test(
        arguments: [
            (["a.ts", "b.ts"], "c.ts", []), (["a.ts", "b.ts"], "a.ts", ["P008 0 2"]),
            (["a.ts", "b.ts"], "B.ts", ["P012 1 2"]), (["a/1", "a/2"], "a", ["P009 0 2"]),
            (["a1", "a2"], "a", []), (["b", "a"], "a", ["P008 1 2"]), (["a"], "\u{E9}", []),
        ] as [([String], String, [String])])
    func theJoinedFileIsOneMore(_ paths: [String], _ joined: String, _ expected: [String]) {
        let found = OutputPaths.collisions(among: paths, and: joined).map {
            "\($0.rule.rawValue) \($0.first) \($0.again)"
        }
        #expect(found == expected)
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
