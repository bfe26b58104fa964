import Glibc
import TestSupport
import Testing

@testable import Platform

/// Where paths lead.
@Suite struct ResolvedPathTests {
    private let temporary: TemporaryDirectory
    private let root: String

    init() throws {
        temporary = try TemporaryDirectory()
        try temporary.makeDirectory("there/deep")
        try check(symlink("there/deep", temporary["link"]), "symlink")
        root = ResolvedPath(temporary.path).text
    }

    @Test(arguments: [
        ("link", "/there/deep"), ("link/..", "/there"), ("link/../none", "/there/none"), ("none/../link", "/link"),
        ("none/a/../../there", "/there"), ("none/./a//b/", "/none/a/b"), ("none/../../x", nil), ("", ""),
    ])
    func aPathLeadsSomewhere(path: String, target: String?) {
        let expected = target.map { root + $0 } ?? ResolvedPath(root).parent.map { $0.text + "/x" }
        #expect(ResolvedPath(temporary[path]).text == expected)
    }

    @Test func theRootIsTheRoot() {
        #expect(ResolvedPath("/").text == "/" && ResolvedPath("/").bytes.isEmpty && ResolvedPath("/").parent == nil)
        #expect(ResolvedPath("/..").text == "/" && ResolvedPath("/larder-none/..").text == "/")
        #expect(ResolvedPath("/proc").parent == ResolvedPath("/"))
    }

    /// Composed and decomposed, they are two files to the kernel, and one text to Swift; and a mark behind a slash makes no other character of it.
    @Test func pathsAreComparedByTheirBytes() {
        #expect(ResolvedPath(temporary["caf\u{E9}"]) != ResolvedPath(temporary["cafe\u{301}"]))
        let marked = ResolvedPath(temporary["there/none/\u{301}x"])
        #expect(marked.text.utf8.elementsEqual("\(root)/there/none/\u{301}x".utf8))
        #expect(marked.parent?.text == "\(root)/there/none")
    }

    @Test func whatLiesInAFolderLiesInThoseAroundIt() {
        let (folder, deep) = (ResolvedPath(temporary["there"]), ResolvedPath(temporary["there/deep"]))
        #expect(deep.isAtOrBeneath(folder) && folder.isAtOrBeneath(folder) && deep.isAtOrBeneath(ResolvedPath("/")))
        #expect(!folder.isAtOrBeneath(deep) && !ResolvedPath(temporary["there-too"]).isAtOrBeneath(folder))
    }

    @Test func whatIsAbsoluteIsKeptAndWhatIsNotBeginsHere() {
        #expect(absolutePath("/\u{301}x").utf8.elementsEqual("/\u{301}x".utf8))
        #expect(absolutePath("x").hasSuffix("/x") && !absolutePath("x").hasPrefix("//"))
    }
}
