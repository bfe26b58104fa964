import Platform
import Testing

@testable import Archives

@Suite("Symbolic links stay in the tree")
struct LinkTests {
    @Test(
        "Contained links are made as they are",
        arguments: [
            "x", "./x", "../top", "deep/../../top", "missing/../x", "missing/deeper",
        ])
    func contained(target: String) throws {
        let unpacking = try Unpacking([.link("d/link", to: target), .init("d/x", [1]), .init("top", [2])])
        #expect(unpacking.error == nil)
        #expect(try unpacking.scratch.target.linkTarget(of: "d/link") == Array(target.utf8))
    }

    @Test(
        "Links that leave are refused before anything is written",
        arguments: [
            "../../x", "/etc/passwd", "..//..", "a/../../../x", "missing/../../../x", "",
            String(repeating: "a/", count: 600) + String(repeating: "../", count: 602) + "x",
            String(repeating: "x", count: 4096),
        ])
    func leaving(target: String) throws {
        let unpacking = try Unpacking([.init("first", [1]), .link("d/link", to: target)])
        let error = try #require(unpacking.error)
        #expect(error.code == .unsafe)
        #expect(error.entry == "d/link")
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test("A link that leaves by way of another link is refused")
    func leavingThroughAnother() throws {
        #expect(try Unpacking([.link("cur", to: "."), .link("up", to: "cur/..")]).error?.code == .unsafe)
        #expect(try Unpacking([.link("up", to: "a/b/cur/../.."), .link("a/b/cur", to: "..")]).error?.code == .unsafe)
    }

    @Test("A link through a link that comes later is fine")
    func laterLink() throws {
        let entries: [ZipBuilder.Entry] = [
            .link("Headers", to: "Versions/Current/Headers"), .link("Versions/Current", to: "A"),
            .init("Versions/A/Headers/a.h", [7]),
        ]
        let unpacking = try Unpacking(entries)
        #expect(unpacking.error == nil)
        let path = unpacking.scratch.targetPath + "/Headers/a.h"
        #expect(try FileSource(path: path).lengthBytes == 1)
    }

    @Test("A loop stays where it is")
    func loop() throws {
        #expect(try Unpacking([.link("a", to: "b"), .link("b", to: "a"), .link("c", to: "c/x")]).error == nil)
    }

    @Test("A chain that is longer than any kernel follows is refused")
    func longChain() throws {
        let chain = (0..<50).map { ZipBuilder.Entry.link("l\($0)", to: "l\($0 + 1)") }
        #expect(try Unpacking(chain).error?.code == .unsafe)
    }

    @Test("Nothing is written beneath a link, whatever the order", arguments: [true, false])
    func beneathLink(linkFirst: Bool) throws {
        let link = ZipBuilder.Entry.link("d", to: "real")
        let child = ZipBuilder.Entry("d/x", [1])
        let unpacking = try Unpacking(linkFirst ? [link, child] : [child, link])
        #expect(unpacking.error?.code == .unsafe)
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    /// Of links, `count` into a chain whose members have long targets.
    private static func chained(_ count: Int) throws -> JudgedTree {
        var tree = JudgedTree(policy: ExtractionPolicy(), names: [], capacity: count)
        let detour = String(repeating: "d/../", count: 800)
        _ = try tree.addDirectory(tree.appendName("d".utf8))
        for number in 0..<5 {
            let target = number == 4 ? detour + "d" : detour + "c\(number + 1)"
            _ = try tree.addSymbolicLink(tree.appendName("c\(number)".utf8), target: Array(target.utf8))
        }
        for number in 0..<count {
            _ = try tree.addSymbolicLink(tree.appendName("l\(number)".utf8), target: Array("c0".utf8))
        }
        return tree
    }

    @Test("A target is walked once, however many links lead through it", .timeLimit(.minutes(1)))
    func sharedChain() throws {
        #expect(try Self.chained(20_000).judgeLinks(checkStop: {}).isEmpty)
    }

    @Test("Judging ends when the caller wants it to")
    func stoppedJudging() throws {
        let tree = try Self.chained(10)
        var asked = 0
        let error = #expect(throws: ArchiveError.self) {
            _ = try tree.judgeLinks { () throws(ArchiveError) in
                asked += 1
                if asked == 3 { throw ArchiveError(.stopped, "stopped") }
            }
        }
        #expect(error?.code == .stopped && asked == 3)
    }
}
