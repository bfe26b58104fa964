import Testing

@testable import Platform

@Suite struct RelativePathTests {
    @Test(arguments: [
        ("", PathProblem.empty), ("/", .absolute), ("/a", .absolute), ("a//b", .emptyComponent),
        ("a/", .emptyComponent),
        (".", .dotComponent), ("a/./b", .dotComponent), ("..", .leavesDirectory), ("a/../b", .leavesDirectory),
        ("a/..", .leavesDirectory), ("a\u{0}b", .containsNUL),
        (String(repeating: "x", count: 256), .componentTooLong),
        (String(repeating: "x/", count: 2048), .tooLong),
    ])
    func whatLeadsElsewhereIsRefused(text: String, problem: PathProblem) {
        #expect(throws: problem) { try RelativePath(text) }
    }

    @Test(arguments: ["a", "a/b", "...", "..a", ".a", "a..", " ", "\\", String(repeating: "x", count: 255)])
    func ordinaryNamesAreTaken(text: String) throws { #expect(try RelativePath(text).bytes == Array(text.utf8)) }

    @Test func bytesNeedNotBeText() throws {
        let path = try RelativePath([0xff, UInt8(ascii: "/"), 0x0a])
        #expect(path.components.map { Array($0) } == [[0xff], [0x0a]])
        #expect(path.description == "\\xff/\\x0a")
    }

    @Test func aPathIsTakenApartAndPutTogether() throws {
        let path: RelativePath = "a/b/c"
        #expect(path.name == "c")
        #expect(path.parent == "a/b")
        #expect(path.parent?.parent == "a")
        #expect(path.name.parent == nil)
        #expect(try RelativePath("a").appending("b/c") == path)
        #expect(throws: PathProblem.leavesDirectory) { try path.appending("../x") }
    }

    @Test func aPathThatGrowsTooLongIsRefused() throws {
        let half = try RelativePath(String(repeating: "x/", count: 1023) + "x")
        #expect(try half.appending(half).bytes.count == 4095)
        #expect(throws: PathProblem.tooLong) { try half.appending(half).appending("x") }
    }
}
