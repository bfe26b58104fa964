import Platform
import TestSupport
import Testing

@testable import Archives

@Suite("A part of an archive")
struct SelectionTests {
    private static let files = ["readme", "walls/brick.png", "walls/brick.txt", "walls/old/stone.png", "empty/"]

    private func policy(strip: Int = 0, include: [String] = [], exclude: [String] = []) throws -> ExtractionPolicy {
        var policy = ExtractionPolicy()
        policy.selection = try EntrySelection(strip: strip, include: include, exclude: exclude)
        return policy
    }

    private static func zip(_ names: [String]) -> [UInt8] {
        ZipBuilder(
            names.map { name in
                var entry = ZipBuilder.Entry(name, name.hasSuffix("/") ? [] : Array(name.utf8))
                if name.hasSuffix("/") { entry.mode = 0o040755 }
                return entry
            }
        ).build()
    }

    private static func tar(_ names: [String]) -> [UInt8] {
        TarBuilder.of { tar in
            for name in names {
                if name.hasSuffix("/") { tar.add(name, type: "5") } else { tar.add(name, Array(name.utf8)) }
            }
        }
    }

    struct Case: CustomTestStringConvertible {
        var strip = 0
        var include: [String] = []
        var exclude: [String] = []
        /// What is created, directories with a slash at the end.
        let created: Set<String>

        var testDescription: String { "strip \(strip) include \(include) exclude \(exclude)" }
    }

    static let cases = [
        Case(include: ["**"], created: Set(files + ["walls/", "walls/old/"])),
        Case(include: ["*.png"], created: ["walls/", "walls/brick.png", "walls/old/", "walls/old/stone.png"]),
        Case(include: ["/walls/*.png"], created: ["walls/", "walls/brick.png"]),
        Case(include: ["walls/"], exclude: ["old/"], created: ["walls/", "walls/brick.png", "walls/brick.txt"]),
        Case(exclude: ["*.png", "empty"], created: ["readme", "walls/", "walls/brick.txt"]),
        Case(include: ["readme", "empty/"], created: ["readme", "empty/"]),
        Case(include: ["walls"], exclude: ["walls/*/"], created: ["walls/", "walls/brick.png", "walls/brick.txt"]),
        // Patterns see what has been stripped.
        Case(strip: 1, created: ["brick.png", "brick.txt", "old/", "old/stone.png"]),
        Case(strip: 1, include: ["/*.png"], created: ["brick.png"]),
        Case(strip: 1, exclude: ["old"], created: ["brick.png", "brick.txt"]),
        Case(strip: 2, created: ["stone.png"]),
    ]

    @Test("What is selected is created, with the directories it needs", arguments: cases, [true, false])
    func selects(_ item: Case, fromTar: Bool) throws {
        let bytes = fromTar ? Self.tar(Self.files) : Self.zip(Self.files)
        let unpacking = try Unpacking(
            bytes, policy: policy(strip: item.strip, include: item.include, exclude: item.exclude))
        #expect(unpacking.error == nil)
        let tree = try unpacking.scratch.tree()
        #expect(Set(tree.map { "\($0.key)" + ($0.value.kind == .directory ? "/" : "") }) == item.created)
        for (path, item) in tree {
            guard case .file(let content) = item.kind else { continue }
            #expect(String(decoding: content, as: UTF8.self).hasSuffix("\(path)"))
        }
        #expect(try unpacking.outcome.get().files == item.created.filter { !$0.hasSuffix("/") }.count)
    }

    @Test(
        "Selecting nothing is an error that names what was asked for",
        arguments: [true, false])
    func nothingSelected(fromTar: Bool) throws {
        let bytes = fromTar ? Self.tar(Self.files) : Self.zip(Self.files)
        let unpacking = try Unpacking(bytes, policy: policy(strip: 1, include: ["*.jpg", "\u{1b}"], exclude: ["old"]))
        #expect(unpacking.error?.code == .notSelectable)
        #expect(
            unpacking.error?.description
                == #"memory.zip: nothing in it is selected (include '*.jpg' '\u{1B}', exclude 'old', strip 1)"#)
        #expect(try unpacking.scratch.tree().isEmpty)
    }

    @Test("A pattern that is none is quoted, with what is wrong")
    func badPattern() {
        let error = #expect(throws: ArchiveError.self) { try EntrySelection(exclude: ["fine", "a["]) }
        #expect(error?.code == .notSelectable)
        #expect(error?.reason.hasPrefix("the pattern 'a[' can't be used: a '[' is never closed") == true)
    }

    @Test("Two entries that stripping makes one are refused", arguments: [true, false])
    func stripCollides(fromTar: Bool) throws {
        let names = ["a/x", "b/x"]
        let unpacking = try Unpacking(fromTar ? Self.tar(names) : Self.zip(names), policy: policy(strip: 1))
        #expect(unpacking.error?.code == .unsafe)
        #expect(unpacking.error?.entry == "b/x")
        #expect(try Unpacking(Self.zip(names), policy: policy(strip: 1, exclude: ["nothing"])).error != nil)
    }

    @Test(
        "What is left out is judged all the same",
        arguments: [["good", "../bad"], ["good", "bad", "bad"], ["good", "bad", "bad/x"], ["good", "/bad"]])
    func judgesTheRest(names: [String]) throws {
        for bytes in [Self.tar(names), Self.zip(names)] {
            let unpacking = try Unpacking(bytes, policy: policy(include: ["good"]))
            #expect(unpacking.error?.code == .unsafe)
        }
    }

    @Test("What can't be read matters where it is selected")
    func unsupported() throws {
        var encrypted = ZipBuilder.Entry("secret", [1, 2])
        encrypted.flags = 1
        let bytes = ZipBuilder([.init("open", [3]), encrypted]).build()
        let unpacking = try Unpacking(bytes, policy: policy(exclude: ["secret"]))
        #expect(unpacking.error == nil)
        #expect(try Set(unpacking.scratch.tree().keys) == ["open"])
        #expect(try Unpacking(bytes, policy: policy(include: ["secret"])).error?.code == .unsupported)
    }

    @Test("Names that aren't portable may be left out, and must not be taken")
    func portable() throws {
        var strict = try policy(exclude: ["con"])
        strict.names = .portable
        #expect(try Unpacking(Self.zip(["a", "con"]), policy: strict).error == nil)
        strict.selection = try EntrySelection(exclude: ["a"])
        #expect(try Unpacking(Self.zip(["a", "con"]), policy: strict).error?.code == .unsafe)
    }

    @Test("A symbolic link to what is not selected is left out with a warning", arguments: [true, false])
    func danglingLink(fromTar: Bool) throws {
        let bytes =
            fromTar
            ? TarBuilder.of { tar in
                tar.add("d/a", [1])
                tar.add("d/b", [2])
                tar.add("d/to-a", type: "2", link: "a")
                tar.add("d/to-b", type: "2", link: "../d/b")
                tar.add("d/to-to-b", type: "2", link: "to-b")
            }
            : ZipBuilder([
                .init("d/a", [1]), .init("d/b", [2]), .link("d/to-a", to: "a"), .link("d/to-b", to: "../d/b"),
                .link("d/to-to-b", to: "to-b"),
            ]).build()
        let unpacking = try Unpacking(bytes, policy: policy(exclude: ["b"]))
        #expect(try Set(unpacking.scratch.tree().keys) == ["d", "d/a", "d/to-a"])
        #expect(
            unpacking.warnings == [
                "the link 'd/to-b' is left out: what it leads to is not selected",
                "the link 'd/to-to-b' is left out: what it leads to is not selected",
            ])
        let alone = try Unpacking(bytes, policy: policy(include: ["to-b"]))
        #expect(alone.error?.code == .notSelectable)
    }

    @Test("A link that leaves what stripping makes the top is refused")
    func linkAboveTheTop() throws {
        let bytes = ZipBuilder([.init("d/x", [1]), .link("d/e/l", to: "../x"), .init("d/e/y", [1])]).build()
        #expect(try Unpacking(bytes, policy: policy(strip: 1)).error == nil)
        #expect(try Unpacking(bytes, policy: policy(strip: 2)).error?.code == .unsafe)
    }

    @Test("A hard link needs the file it is a further name of")
    func hardLink() throws {
        let bytes = TarBuilder.of { tar in
            tar.add("d/first", [7])
            tar.add("d/second", type: "1", link: "d/first")
        }
        let both = try Unpacking(bytes, policy: policy(strip: 1, include: ["first", "second"]))
        #expect(try both.file("second") == [7])
        #expect(try Set(Unpacking(bytes, policy: policy(include: ["first"])).scratch.tree().keys) == ["d", "d/first"])
        let error = try #require(try Unpacking(bytes, policy: policy(include: ["second"])).error)
        #expect(error.code == .notSelectable)
        #expect(error.entry == "d/second")
        #expect(error.reason == "is a hard link to 'd/first', which is not selected: select both or neither")
    }

    @Test("What is left out of a compressed tar counts for the ratio, not for the bytes")
    func skippedBomb() async throws {
        let bomb = try await gzip(
            TarBuilder.of { tar in
                tar.add("bomb", Array(repeating: 0, count: 4 << 20))
                tar.add("good", [1])
            })
        var policy = try policy(include: ["good"])
        policy.limits.totalBytes = 1
        #expect(try Unpacking(bomb, policy: policy).error == nil)
        policy.limits.ratioFloorBytes = 1 << 20
        let error = try #require(try Unpacking(bomb, policy: policy).error)
        #expect(error.code == .limitExceeded)
        #expect(error.entry == "bomb")
    }

    @Test("A stream of one file has nothing to select from")
    func singleFile() async throws {
        let unpacking = try await Unpacking(gzip([1, 2, 3]), policy: policy(include: ["**"]))
        #expect(unpacking.error?.code == .notSelectable)
    }

    @Test("Everything, asked for without a pattern, is not a selection")
    func everything() throws {
        #expect(try EntrySelection(strip: 0, include: [], exclude: []).isEverything)
        #expect(try !EntrySelection(include: ["**"]).isEverything)
    }

    @Test("A link through one that is left out is left out too", arguments: [true, false])
    func linkThroughDanglingLink(fromTar: Bool) throws {
        let links = [("d/to-b", "b"), ("d/up", "to-b/.."), ("d/to-a", "a")]
        let bytes =
            fromTar
            ? TarBuilder.of { tar in
                for name in ["d/a", "d/b/x"] { tar.add(name, [1]) }
                for (name, target) in links { tar.add(name, type: "2", link: target) }
            }
            : ZipBuilder([.init("d/a", [1]), .init("d/b/x", [1])] + links.map { .link($0.0, to: $0.1) }).build()
        let unpacking = try Unpacking(bytes, policy: policy(exclude: ["b"]))
        #expect(unpacking.error == nil)
        #expect(try Set(unpacking.scratch.tree().keys) == ["d", "d/a", "d/to-a"])
        #expect(
            unpacking.warnings
                == ["d/to-b", "d/up"].map { "the link '\($0)' is left out: what it leads to is not selected" })
    }
}
