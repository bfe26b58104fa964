import FaultServer
import Glibc
import TestSupport
import Testing

/// What `larder refresh` takes for fresh, and what it tells of that.
@Suite struct RefreshFreshnessTests {
    private let stage: RefreshStage
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 1000, seed: 2)

    init() async throws {
        stage = try await RefreshStage()
    }

    private var stock: Stock { stage.stock }

    /// Whether a run that is held back, by a window of a minute half a day away, complains.
    private func isOverdue(
        _ more: [String] = [], daysLater: Int, manifests: [String]? = nil
    ) async throws -> Bool {
        var now = time(nil)
        var fields = tm()
        gmtime_r(&now, &fields)
        let hour = (Int(fields.tm_hour) + 12) % 24
        let text = hour < 10 ? "0\(hour)" : "\(hour)"
        let result = try await stage.refresh(
            more + ["--max-age", "2d", "--window", "\(text):00-\(text):01"], after: .days(daysLater),
            manifests: manifests)
        #expect(result.status == .exited(3) || result.problems.count == 1, "\(result)")
        return result.status == .exited(1)
    }

    @Test func whoAsksForAPartIsUpToDateWithThat() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        for day in [0, 3] {
            #expect(try await stage.refresh(["--only", "a"], after: .days(day)).status == .exited(0))
        }
        #expect(try await !isOverdue(["--only", "a"], daysLater: 4))
        #expect(try await isOverdue(["--only", "a"], daysLater: 6))
    }

    @Test func whatIsNotRequiredKeepsNobodyFromBeingUpToDate() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other, more: #""required": false,"#)])
        stock.server.serve("/b.bin", always: .errorPage(404))
        for day in [0, 3] { #expect(try await stage.refresh(after: .days(day)).status == .exited(0)) }
        #expect(try await !isOverdue(daysLater: 4))
        #expect(try await isOverdue(daysLater: 6))
    }

    @Test func aLibraryThatNeverWasUpToDateIsOverdueSinceItsFirstRun() async throws {
        #expect(try await stage.refresh(after: .days(0)).status == .exited(66))
        #expect(try await !isOverdue(daysLater: 1))
        #expect(try await isOverdue(daysLater: 3))
    }

    @Test func anotherManifestAtTheSamePlaceInheritsNothing() async throws {
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stage.refresh(after: .days(0)).status == .exited(0))
        stock.server.serve("/b.bin", always: .errorPage(404))
        stock.server.serve("/m.json", Resource(.text(Stock.manifest([stock.file("a", content), missing], id: "n"))))
        let path = stock.directory["larder.prom"]
        #expect(try await stage.refresh(["--metrics", path], after: .days(9)).status == .exited(2))
        let metrics = try stage.metrics(path)
        #expect(metrics[#"larder_manifest_serial{manifest="n"}"#] == "1", "\(metrics)")
        #expect(metrics[#"larder_manifest_last_success_timestamp_seconds{manifest="n"}"#] == nil, "\(metrics)")
        #expect(try await !isOverdue(daysLater: 10), "it is waited for since it came there")
        #expect(try await isOverdue(daysLater: 12))
    }

    /// A bundle that nobody has.
    private var missing: String {
        #"{"id": "b", "kind": "ebook", "urls": ["b.bin"], "size": 10}"#
    }

    @Test func whatOthersPublishMeanwhileMakesNothingFresh() async throws {
        stock.serveManifest([stock.file("a", content)])
        let both = [stock.manifestURL, stock.server.url("/none.json")]
        #expect(try await stage.refresh(after: .days(0), manifests: both).status == .exited(66))
        stock.serveManifest([stock.file("a", other)], serial: 2)
        #expect(try await stage.refresh(after: .days(3), manifests: both).status == .exited(66))
        #expect(try await isOverdue(daysLater: 4, manifests: both))
        #expect(try await !isOverdue(daysLater: 4))
    }

    @Test func whatAPinHoldsIsUpToDateWhenItWasLookedAt() async throws {
        for serial in 1...2 {
            stock.serveManifest([stock.file("a", serial == 1 ? content : other)], serial: serial)
            #expect(try await stage.refresh(after: .days(0)).status == .exited(0))
        }
        let rollback = try await LarderProgram.run(["rollback", "--library", stock.library])
        #expect(rollback.status == .exited(0), "\(rollback)")
        let held = try await stage.refresh(after: .days(5))
        #expect(held.status == .exited(0) && held.errors.isEmpty, "\(held)")
        #expect(try stock.difference("a", content) == nil)
        #expect(try await !isOverdue(daysLater: 6))
        #expect(try await isOverdue(daysLater: 8))
    }

    @Test func aManifestFromStandardInputIsFreshWhenItCame() async throws {
        stock.serveManifest([stock.file("a", content)])
        let arguments = stock.refreshArguments(["--base", stock.manifestURL, "--max-age", "2d"], manifests: ["-"])
        let text = Array(Stock.manifest([stock.file("a", content)]).utf8)
        for day in [0, 3] {
            let run = try await stage.run(arguments, after: .days(day), input: text)
            #expect(run.status == .exited(0) && run.errors.isEmpty, "\(run)")
        }
        #expect(try await !isOverdue(daysLater: 4, manifests: ["-"]))
        #expect(try await isOverdue(daysLater: 6, manifests: ["-"]))
    }

    @Test func aBundleThatIsMissingInTheGenerationIsNoticedAlthoughTheManifestDidNotChange() async throws {
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        #expect(try await stock.refresh().status == .exited(0))
        try #require(unlink("\(stock.library)/current/m/a") == 0)
        #expect(try await stock.refresh().status == .exited(0))
        #expect(try stock.difference("a", content) == nil && stock.difference("b", other) == nil)
    }
}
