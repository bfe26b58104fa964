import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

/// What of `current` and of generations is lost: it is found, put back without anything being fetched, and until then nothing is taken away.
@Suite struct LostGenerationTests {
    private let library: RestingLibrary
    private var stock: Stock { library.stock }
    private let other = Content.pattern(lengthBytes: 700, seed: 11)

    init() throws { library = try RestingLibrary() }

    /// Two manifests, in two generations that have the first one's bundles in common.
    private func publish() async throws {
        stock.serveManifest([library.files(), library.files("copy", prefix: "copy/")])
        #expect(try await stock.sync().status == .exited(0))
        stock.server.serve("/n.json", Resource(.text(Stock.manifest([stock.file("b", other)], id: "n"))))
        #expect(try await stock.sync(manifests: [stock.server.url("/n.json")]).status == .exited(0))
    }

    enum Loss: String, CaseIterable, Sendable {
        case currentMissing, currentDangling, currentElsewhere
        case link, linkElsewhere, manifestDirectory, manifestMissing, manifestDamaged, manifestIsDirectory, list

        func strike(_ library: String) throws {
            let (current, folder) = ("\(library)/current", "\(library)/generations/000002")
            switch self {
            case .currentMissing: try check(unlink(current), "unlink")
            case .currentDangling:
                try check(unlink(current), "unlink")
                try check(symlink("generations/000009", current), "symlink")
            case .currentElsewhere:
                try check(unlink(current), "unlink")
                try check(symlink("/etc", current), "symlink")
            case .link: try check(unlink("\(folder)/m/set"), "unlink")
            case .linkElsewhere:
                try check(unlink("\(folder)/m/set"), "unlink")
                try check(symlink("../../../store/n", "\(folder)/m/set"), "symlink")
            case .manifestDirectory: removeTree("\(folder)/m")
            case .manifestMissing: try check(unlink("\(folder)/m/.manifest.json"), "unlink")
            case .manifestDamaged:
                var bytes = try readFile("\(folder)/m/.manifest.json")
                bytes[bytes.count / 2] ^= 1
                try writeFile(bytes, to: "\(folder)/m/.manifest.json")
            case .manifestIsDirectory:
                try check(unlink("\(folder)/m/.manifest.json"), "unlink")
                try check(mkdir("\(folder)/m/.manifest.json", 0o755), "mkdir")
            case .list: try check(truncate("\(folder)/.contents", 10), "truncate")
            }
        }

        /// Whether it shows by names alone.
        var isSeenByStatus: Bool { self != .linkElsewhere && self != .manifestDamaged && self != .manifestIsDirectory }
    }

    private func requests() -> Int {
        stock.server.exchanges("/b.bin").count + library.requests().values.reduce(0, +)
            + ["one.txt", "dir/two.bin"].reduce(0) { $0 + stock.server.exchanges("/copy/\($1)").count }
    }

    @Test(arguments: Loss.allCases, ["verify", "sync", "clean"])
    func isFoundAndPutBackAndNothingIsFetched(_ loss: Loss, by command: String) async throws {
        try await publish()
        let kept = try await library.keep()
        let copy = stock.directory["before"]
        #expect(try await ChildProcess.run("cp", ["-a", stock.library, copy]).status == .exited(0))
        let count = requests()
        try loss.strike(stock.library)

        let found = try await library.verify()
        #expect(found.status == .exited(1) && found.problems.count == 1, "\(found)")
        #expect(!found.outputText.contains("all whole"), "\(found)")
        let status = try await LarderProgram.run(["status", "--library", stock.library])
        #expect(status.status == .exited(0), "\(status)")
        #expect((status.errorText + status.outputText).contains("warning") == loss.isSeenByStatus, "\(status)")

        let result =
            switch command {
            case "verify": try await library.verify("--repair")
            case "sync": try await stock.sync()
            default: try await LarderProgram.run(["clean", "--library", stock.library])
            }
        // Manifests with other bytes are looked for by a repair, and by a sync of them.
        let isPutBack = command != "clean" || loss.isSeenByStatus || loss == .linkElsewhere
        #expect(result.status == .exited(0), "\(result)")
        #expect(requests() == count)
        #expect(try library.differences(from: kept) == [], "no content is gone")
        let differences = try treeDifferences(copy, stock.library, comparingModes: true).filter {
            !$0.contains(".larder")
        }
        if isPutBack {
            #expect(differences == [], "\(result)")
            #expect(try await library.verify().status == .exited(0))
        }
        let again = try await stock.sync()
        #expect(!again.errorText.contains("current") && again.outputText.hasPrefix("nothing to do"), "\(again)")
    }

    /// Of a manifest that is in no other generation there are no second bytes.
    @Test(arguments: [Loss.manifestMissing, .manifestDamaged, .manifestDirectory])
    func aManifestThatNobodyElseHasComesBackWithTheNextSync(_ loss: Loss) async throws {
        try await publish()
        let name = "\(stock.library)/generations/000001"
        removeTree(name)
        try loss.strike(stock.library)
        let repair = try await library.verify("--repair")
        #expect(repair.status == .exited(1) && repair.errorText.contains("sync"), "\(repair)")
        #expect(
            try readFile("\(stock.library)/current/m/set/one.txt").count == 5000, "its links are there all the same")
        // Another manifest is published meanwhile.
        stock.server.serve(
            "/n.json",
            Resource(.text(Stock.manifest([stock.file("b", other), stock.file("c", other)], id: "n", serial: 2))))
        #expect(try await stock.sync(manifests: [stock.server.url("/n.json")]).status == .exited(0))
        let count = requests()
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await library.verify().status == .exited(0))
        #expect(requests() == count)
    }

    /// Going back was meant to last.
    @Test func aLibraryThatIsHeldStaysWhereItIsHeld() async throws {
        try await publish()
        let back = try await LarderProgram.run(["rollback", "--library", stock.library])
        #expect(back.status == .exited(0), "\(back)")
        try Loss.currentMissing.strike(stock.library)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.generation() == "generations/000001")
    }

    @Test func aGenerationThatIsNotWholeIsNotMadeCurrent() async throws {
        try await publish()
        removeTree("\(stock.library)/store/n/b")
        try Loss.currentDangling.strike(stock.library)
        let result = try await stock.sync()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try stock.generation() == "generations/000001")
    }

    /// It may be all that somebody has of the content: a copy that followed links.
    @Test func aFolderInThePlaceOfCurrentIsLeftAloneAndToldOf() async throws {
        try await publish()
        try check(unlink("\(stock.library)/current"), "unlink")
        try check(mkdir("\(stock.library)/current", 0o755), "mkdir")
        for command in [["clean"], ["verify", "--repair", "--min-free", "0"]] {
            let result = try await LarderProgram.run(command + ["--library", stock.library])
            #expect(result.status == .exited(1) && result.errorText.contains("make it a link"), "\(result)")
        }
        #expect(try directoryEntries(FilePathBytes("\(stock.library)/store/m")).count == 2)
        #expect(try await LarderProgram.run(["unpin", "--library", stock.library]).status == .exited(0))
    }

    /// A run that leaves it alone hasn't done all that it was asked for.
    @Test(arguments: ["sync", "refresh"])
    func aFolderInThePlaceOfALinkIsLeftAloneAndToldOf(by command: String) async throws {
        try await publish()
        try check(unlink("\(stock.library)/current/m/set"), "unlink")
        try check(mkdir("\(stock.library)/current/m/set", 0o755), "mkdir")
        for _ in 1...2 {
            let result = command == "sync" ? try await stock.sync() : try await stock.refresh()
            #expect(result.status == .exited(1) && result.errorText.contains("/m/set is not what was"), "\(result)")
            #expect(!result.outputText.hasPrefix("nothing to do"), "\(result)")
        }
        try check(rmdir("\(stock.library)/current/m/set"), "rmdir")
        let result = command == "sync" ? try await stock.sync() : try await stock.refresh()
        #expect(result.status == .exited(0), "\(result)")
        #expect(try await library.verify().status == .exited(0))
    }

    /// A name that nobody can look up is no wrong name.
    @Test func whoAsksForABundleIsToldThatNothingIsCurrent() async throws {
        try await publish()
        try Loss.currentMissing.strike(stock.library)
        for name in ["m/set", "set"] {
            let path = try await LarderProgram.run(["path", name, "--library", stock.library])
            #expect(path.status == .exited(1) && path.errorText.contains("/current is missing"), "\(path)")
        }
        let explained = try await LarderProgram.run(["explain", "m/set", "--library", stock.library])
        #expect(explained.status == .exited(0), "\(explained)")
        #expect(explained.outputText.contains("/current is missing"), "\(explained)")
        for untruth in ["Nothing has been published", "Nothing of the manifest", "nothing to do"] {
            #expect(!explained.outputText.contains(untruth), "\(explained)")
        }
    }

    /// What generations have lost, and can't be put back, is no trouble of whoever makes room.
    @Test func whatCanNotBePutBackKeepsNoCleanFromItsWork() async throws {
        try await publish()
        try check(mkdir("\(stock.library)/.larder/next-current", 0o755), "mkdir")
        try Loss.currentMissing.strike(stock.library)
        let clean = try await LarderProgram.run(["clean", "--library", stock.library])
        #expect(clean.status == .exited(0) && clean.errorText.contains("next-current"), "\(clean)")
        #expect(try await stock.sync().status == .exited(1), "who has to know what is current needs it")
        try check(rmdir("\(stock.library)/.larder/next-current"), "rmdir")
        #expect(try await stock.sync().status == .exited(0))
        #expect(try await library.verify().status == .exited(0))
    }

    /// More than any manifest has, at no room: to read it is refused.
    private func makeUnreadable(_ generation: String) throws {
        try check(truncate("\(stock.library)/generations/\(generation)/m/.manifest.json", 1 << 30 + 1), "truncate")
    }

    @Test func aManifestThatCanNotBeReadStopsNobodyAndComesBack() async throws {
        try await publish()
        for generation in ["000001", "000002"] { try makeUnreadable(generation) }
        stock.server.serve(
            "/n.json",
            Resource(.text(Stock.manifest([stock.file("b", other), stock.file("c", other)], id: "n", serial: 2))))
        let others = try await stock.sync(manifests: [stock.server.url("/n.json")])
        #expect(others.status == .exited(0), "\(others)")
        let own = try await stock.sync()
        #expect(own.status == .exited(0), "\(own)")
        #expect(try await library.verify().status == .exited(0), "in all generations")
    }

    /// It is a serial that nobody has published.
    @Test func aDamagedSerialLocksNobodyOut() async throws {
        try await publish()
        for generation in ["000001", "000002"] {
            let path = "\(stock.library)/generations/\(generation)/m/.manifest.json"
            let text = String(decoding: try readFile(path), as: UTF8.self)
            let damaged = text.replacing(#""serial": 1"#, with: #""serial": 9"#)
            try #require(damaged != text)
            try writeFile(Array(damaged.utf8), to: path)
        }
        // Then it is the generations that tell.
        try check(unlink("\(stock.library)/.larder/state.db"), "unlink")
        for _ in 1...2 {
            let result = try await stock.sync()
            #expect(result.status == .exited(0), "\(result)")
        }
        #expect(try await library.verify().status == .exited(0))
    }

    /// What an older generation has lost no sync brings back, where the manifest is another one by now.
    @Test func ofAnOldGenerationTheWayOutIsTold() async throws {
        stock.serveManifest([library.files()])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([library.files(), library.files("copy", prefix: "copy/")], serial: 2)
        #expect(try await stock.sync().status == .exited(0))
        try check(unlink("\(stock.library)/generations/000001/m/.manifest.json"), "unlink")
        let found = try await library.verify()
        #expect(found.status == .exited(1) && found.errorText.contains("larder clean --keep 1"), "\(found)")
        let clean = try await LarderProgram.run(
            ["clean", "--library", stock.library, "--keep", "1", "--keep-age", "0s"])
        #expect(clean.status == .exited(0), "\(clean)")
        #expect(try await library.verify().status == .exited(0))
    }

    @Test func whereAllGenerationsAreLostNoContentGoes() async throws {
        try await publish()
        let count = requests()
        removeTree("\(stock.library)/generations")
        try check(mkdir("\(stock.library)/generations", 0o755), "mkdir")
        let found = try await library.verify()
        #expect(found.status == .exited(1), "\(found)")
        let clean = try await LarderProgram.run(["clean", "--library", stock.library])
        #expect(clean.status == .exited(0) && clean.errorText.contains("sync first"), "\(clean)")
        #expect(try await stock.sync().status == .exited(0))
        #expect(requests() == count)
        #expect(try library.store().contains("/set/"))
    }

    /// Of a generation that isn't current the links lead nobody anywhere, until somebody goes back to it.
    @Test func goingBackPutsBackWhereLinksLead() async throws {
        try await publish()
        let link = "\(stock.library)/generations/000001/m/set"
        try check(unlink(link), "unlink")
        try check(symlink("/etc", link), "symlink")
        let run = try await LarderProgram.run(["rollback", "--library", stock.library])
        #expect(run.status == .exited(0), "\(run)")
        #expect(try stock.generation() == "generations/000001")
        #expect(access("\(stock.library)/current/m/set/one.txt", F_OK) == 0, "\(run)")
    }

    @Test func nobodyGoesBackToAFolderInThePlaceOfALink() async throws {
        try await publish()
        let link = "\(stock.library)/generations/000001/m/set"
        try check(unlink(link), "unlink")
        try check(mkdir(link, 0o755), "mkdir")
        let run = try await LarderProgram.run(["rollback", "--library", stock.library])
        #expect(run.status == .exited(1), "\(run)")
        #expect(run.errorText.contains("can't be gone back to"), "\(run)")
        #expect(try stock.generation() == "generations/000002")
    }

    // MARK: Copies

    /// What the article about operating a library says to back up, and nothing else.
    private func backUp(_ names: [String]) async throws -> String {
        let copy = stock.directory["copy"]
        try check(mkdir(copy, 0o755), "mkdir")
        for name in names {
            #expect(try await ChildProcess.run("cp", ["-a", "\(stock.library)/\(name)", copy]).status == .exited(0))
        }
        return copy
    }

    @Test(arguments: [["current", "generations", "store"], ["generations", "store"]])
    func aCopyWithoutTheRestIsALibrary(_ names: [String]) async throws {
        try await publish()
        let count = requests()
        let copy = try await backUp(names)
        for command in [["status"], ["verify"], ["explain", "set"], ["clean", "--dry-run"]] {
            let result = try await LarderProgram.run(command + ["--library", copy])
            let isWhole = names.contains("current") || ["status", "clean"].contains(command[0])
            #expect(result.status == .exited(isWhole ? 0 : 1), "\(command): \(result)")
        }
        #expect(access("\(copy)/.larder", F_OK) != 0, "looking makes nothing")
        for command in [["pin"], ["unpin"], ["clean"], ["sync", stock.manifestURL, "--min-free", "0"], ["verify"]] {
            let result = try await LarderProgram.run(command + ["--library", copy])
            #expect(result.status == .exited(0), "\(command): \(result)")
        }
        #expect(requests() == count)
        #expect(try treeDifferences("\(stock.library)/store", "\(copy)/store", comparingModes: true) == [])
    }

    /// As copiers make it that drop folders in which nothing is.
    @Test func aCopyWithoutItsEmptyFoldersIsLookedAtAsItIs() async throws {
        try await publish()
        let found = try await LarderProgram.run(["history", "--library", stock.library])
        for name in ["partial", "staging", "quarantine"] { removeTree("\(stock.library)/.larder/\(name)") }
        let history = try await LarderProgram.run(["history", "--library", stock.library])
        #expect(history.status == .exited(0) && history.outputText == found.outputText, "\(history)")
        let holder = try Directory.open("\(stock.library)/.larder").open("lock", flags: O_RDWR)
        try #require(try holder.lock(exclusive: true))
        let dry = try await LarderProgram.run(["clean", "--dry-run", "--library", stock.library])
        #expect(dry.status == .exited(75), "\(dry)")
        holder.unlock()
        #expect(try await LarderProgram.run(["clean", "--library", stock.library]).status == .exited(0))
    }

    // MARK: Strays

    private static let folders = [
        "", "generations", "generations/000002", "generations/000002/m", "store", "store/m", "store/m/set", ".larder",
        ".larder/partial", ".larder/staging", ".larder/quarantine",
    ]

    /// Names that are nobody's, and such as the library's own might be.
    private static let names = ["notes", ".hidden", "000077", "content-1-x", "x.part", "7", "1@0123456789abcdef.txt"]

    private func putStray(_ kind: String, at path: String) throws {
        switch kind {
        case "file": try writeFile([1], to: path)
        case "folder":
            try check(mkdir(path, 0o755), "mkdir")
            try writeFile([1], to: "\(path)/inside")
        case "link": try check(symlink("/nowhere", path), "symlink")
        default: try check(mkfifo(path, 0o644), "mkfifo")
        }
    }

    @Test(arguments: ["file", "folder", "link", "fifo"]) func strayThingsAreInNobodysWay(_ kind: String) async throws {
        try await publish()
        for folder in Self.folders {
            // A folder of that name is a generation in which nothing is.
            for name in Self.names where kind != "folder" || name != "000077" {
                try putStray(kind, at: "\(stock.library)/\(folder)/\(name)")
            }
        }
        stock.serveManifest(
            [library.files(), library.files("copy", prefix: "copy/"), stock.file("c", other)], serial: 2)
        for command in [
            ["status"], ["verify", "--min-free", "0"], ["explain", "set"], ["clean", "--dry-run"],
            ["sync", stock.manifestURL, "--min-free", "0"], ["rollback"], ["unpin"],
            ["refresh", stock.manifestURL, "--min-free", "0"], ["forget", "n"], ["clean"], ["verify", "--repair"],
            ["clean", "--keep", "1", "--keep-age", "0s"],
        ] {
            let result = try await LarderProgram.run(command + ["--library", stock.library])
            #expect(result.status == .exited(0), "\(command): \(result)")
            if command == ["clean"] {
                #expect(result.errorText.contains("/generations/notes is none of the library's own"), "\(result)")
            }
        }
        for folder in ["", "generations", "store", "store/m", "store/m/set"] {
            let left = try directoryEntries(FilePathBytes("\(stock.library)/\(folder)")).map(\.description)
            #expect(left.contains("notes") && left.contains(".hidden"), "\(folder): \(left)")
        }
    }
}
