import Glibc
import TestSupport
import Testing

@testable import Platform

/// What a program calls itself for whoever is to start it again.
@Suite struct ThisProgramTests {
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        try temporary.write([], to: "bin/larder", mode: 0o755)
        try temporary.write([], to: "other/larder", mode: 0o755)
    }

    private var searchPath: String { "\(temporary["none"]):\(temporary["other"]):\(temporary["bin"])" }

    private func path(calledAs name: String, running file: String) throws -> String {
        let link = temporary["exe"]
        unlink(link)
        try check(symlink(file, link), "symlink")
        return ThisProgram.path(calledAs: name, searchPath: searchPath, link: link)
    }

    @Test func theOneThatRunsIsTheOneThatIsMeant() throws {
        #expect(try path(calledAs: "larder", running: temporary["bin/larder"]) == temporary["bin/larder"])
        #expect(try path(calledAs: "elsewhere", running: temporary["bin/larder"]) == temporary["bin/larder"])
    }

    /// The kernel calls a program whose file was replaced `/usr/bin/larder (deleted)`: none that anybody could start.
    @Test func whereItsFileIsGoneItIsTheOneThatIsCalledSo() throws {
        let gone = temporary["old/larder (deleted)"]
        #expect(try path(calledAs: "larder", running: gone) == temporary["other/larder"])
        #expect(try path(calledAs: temporary["bin/larder"], running: gone) == temporary["bin/larder"])
        #expect(try path(calledAs: "nowhere", running: gone) == "nowhere")
    }

    /// Without `/proc`.
    @Test func whereItsFileIsNotKnownItIsTheOneThatIsCalledSo() {
        let link = temporary["none"]
        #expect(ThisProgram.path(calledAs: "larder", searchPath: searchPath, link: link) == temporary["other/larder"])
        #expect(ThisProgram.path(calledAs: "", searchPath: "", link: link) == "")
    }
}
