import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// What `--metrics` tells.
@Suite struct RefreshMetricsTests {
    private let stage: RefreshStage
    private let content = Content.pattern(lengthBytes: 1000, seed: 1)
    private let other = Content.pattern(lengthBytes: 2000, seed: 2)

    init() async throws { stage = try await RefreshStage() }

    private var stock: Stock { stage.stock }

    @Test func metricsTellHowItWentAndHowOldEverythingIs() async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        stock.server.script("/b.bin", [.reply(.errorPage(404)), .reply(.errorPage(404))])
        for failures in 1...2 {
            #expect(try await stock.refresh("--metrics", path).status == .exited(2))
            let metrics = try stage.metrics(path)
            #expect(metrics["larder_last_run_exit_code"] == "2")
            #expect(metrics[#"larder_bundle_failures{manifest="m",bundle="b"}"#] == "\(failures)")
            #expect(metrics[#"larder_bundle_failures{manifest="m",bundle="a"}"#] == "0")
            #expect(metrics[#"larder_manifest_last_success_timestamp_seconds{manifest="m"}"#] == nil)
            #expect(metrics[#"larder_bundle_last_success_timestamp_seconds{manifest="m",bundle="b"}"#] == nil)
        }
        #expect(try await stock.refresh("--metrics", path).status == .exited(0))
        let metrics = try stage.metrics(path)
        #expect(metrics["larder_last_run_exit_code"] == "0")
        #expect(metrics[#"larder_last_run_bundles{state="published"}"#] == "1")
        #expect(metrics[#"larder_bundle_last_run_obtained_bytes{manifest="m",bundle="b"}"#] == "2000")
        #expect(metrics[#"larder_manifest_last_success_timestamp_seconds{manifest="m"}"#] != nil)
        #expect(metrics[#"larder_bundle_last_success_timestamp_seconds{manifest="m",bundle="b"}"#] != nil)
        // A later failure doesn't take back when all was well.
        stock.serveManifest([stock.file("a", content), stock.file("c", other)], serial: 2)
        stock.server.serve("/c.bin", always: .errorPage(404))
        #expect(try await stock.refresh("--metrics", path).status == .exited(2))
        let after = try stage.metrics(path)
        #expect(after["larder_last_run_exit_code"] == "2")
        let key = #"larder_manifest_last_success_timestamp_seconds{manifest="m"}"#
        #expect(after[key] == metrics[key])
        #expect(
            try directoryEntries(FilePathBytes(stock.directory.path)).filter { $0.description.contains("prom") }.count
                == 1, "nothing is left beside it")
        // promtool's own rule: HELP and TYPE once each, before the samples.
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        #expect(Set(lines.filter { $0.hasPrefix("#") }).count == lines.count { $0.hasPrefix("#") })
    }

    /// Hours of work would end with it.
    @Test(arguments: ["", "folder", "folder/", "link"])
    func whatCanBeNoFileIsRefusedAtOnce(name: String) async throws {
        try stock.directory.makeDirectory("folder")
        try check(symlink("elsewhere", stock.directory["link"]), "symlink")
        let path = name.isEmpty ? "" : stock.directory[name]
        let result = try await stock.refresh("--metrics", path)
        #expect(result.status == .exited(64) && result.errorText.contains("--metrics"), "\(result)")
        #expect(stock.server.log.isEmpty)
    }

    /// Whoever reads them goes on to.
    @Test func metricsKeepTheirPermissions() async throws {
        stock.serveManifest([stock.file("a", content)])
        let path = try stock.directory.write([], to: "larder.prom", mode: 0o640)
        #expect(try await stock.refresh("--metrics", path).status == .exited(0))
        var status = stat()
        try check(stat(path, &status), "stat")
        #expect(status.st_mode & 0o777 == 0o640 && status.st_size > 0)
    }

    @Test func metricsThatCanNotBeWrittenAreAFailure() async throws {
        stock.serveManifest([stock.file("a", content)])
        let result = try await stock.refresh("--metrics", stock.directory["nowhere/larder.prom"])
        #expect(result.status == .exited(1) && result.problems.count == 1, "\(result)")
        #expect(try stock.difference("a", content) == nil)
    }

    @Test func ofABundleThatIsNotListedAnyMoreNothingIsTold() async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content), stock.file("b", other)])
        stock.server.script("/b.bin", [.reply(.errorPage(404))])
        #expect(try await stock.refresh("--metrics", path).status == .exited(2))
        #expect(String(decoding: try readFile(path), as: UTF8.self).contains(#"bundle="b""#))
        stock.serveManifest([stock.file("a", content)], serial: 2)
        #expect(try await stock.refresh("--metrics", path).status == .exited(0))
        #expect(!String(decoding: try readFile(path), as: UTF8.self).contains(#"bundle="b""#))
    }

    @Test func aManifestThatIsNamedTwiceIsMeasuredOnce() async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stock.refresh().status == .exited(0))
        let twice = try await stock.refresh(
            "--metrics", path, manifests: [stock.manifestURL, stock.manifestURL])
        #expect(twice.status == .exited(65), "\(twice)")
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        #expect(Set(lines).count == lines.count, "\(lines)")
    }

    // MARK: Runs that aren't begun

    private static let freshness = #"larder_manifest_last_success_timestamp_seconds{manifest="m"}"#

    private func skips(_ metrics: [String: String]) -> [String: String] {
        metrics.filter { $0.key.hasPrefix("larder_run_skipped") }
    }

    private func expect(
        _ reason: String?, in metrics: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = ["window", "conditions", "lock", "month_cap"].map { (name: String) in
            (#"larder_run_skipped{reason="\#(name)"}"#, name == reason ? "1" : "0")
        }
        #expect(
            skips(metrics) == Dictionary(uniqueKeysWithValues: expected), "\(metrics)", sourceLocation: sourceLocation)
    }

    /// What is known stays in them, and grows older.
    @Test(arguments: [
        ("window", ["--window", "01:00-02:00"]), ("conditions", ["--max-load", "0"]),
        ("month_cap", ["--month-cap", "20K"]),
    ])
    func aRunThatIsHeldBackTellsWhy(reason: String, options: [String]) async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 30_000, seed: 3))])
        #expect(try await stage.refresh(["--metrics", path], at: "2026-12-01T12:00:00Z").status == .exited(0))
        let before = try stage.metrics(path)
        expect(nil, in: before)
        stock.serveManifest([stock.file("b", content)], serial: 2)
        let held = try await stage.refresh(options + ["--metrics", path], at: "2026-12-03T12:00:00Z")
        // A load of nothing at all is rare, and holds nobody back.
        if reason == "conditions", held.status == .exited(0) { return }
        #expect(held.status == .exited(3) && held.errors.isEmpty, "\(held)")
        let after = try stage.metrics(path)
        expect(reason, in: after)
        for key in [
            Self.freshness, "larder_last_run_timestamp_seconds", "larder_last_run_exit_code",
            "larder_last_run_fetched_bytes", #"larder_bundle_failures{manifest="m",bundle="a"}"#,
            "larder_month_fetched_bytes",
        ] {
            #expect(after[key] == before[key] && after[key] != nil, "\(key)")
        }
        #expect(after[#"larder_bundle_last_run_obtained_bytes{manifest="m",bundle="a"}"#] == nil)
        #expect(try await stage.refresh(["--metrics", path], at: "2026-12-04T12:00:00Z").status == .exited(0))
        expect(nil, in: try stage.metrics(path))
    }

    @Test func whereThereIsNoLibraryYetNothingButTheReasonIsTold() async throws {
        let path = stock.directory["larder.prom"]
        let held = try await stage.refresh(
            ["--metrics", path, "--window", "01:00-02:00"], at: "2026-12-03T12:00:00Z")
        #expect(held.status == .exited(3), "\(held)")
        let metrics = try stage.metrics(path)
        expect("window", in: metrics)
        #expect(metrics.count == 4)
        #expect(access(stock.library, F_OK) != 0)
    }

    @Test(arguments: [("skip", 0), ("fail", 75)] as [(String, Int32)])
    func aRunThatFindsAnotherAtWorkTellsSo(policy: String, exit: Int32) async throws {
        let path = stock.directory["larder.prom"]
        stock.serveManifest([stock.file("a", content)])
        #expect(try await stage.refresh(["--metrics", path]).status == .exited(0))
        let before = try stage.metrics(path)
        let gate = try Gate()
        stock.serveManifest([stock.file("b", other) { $0.altered { $1.headHeld(until: gate) } }], serial: 2)
        let holder = try LarderProgram.start(stock.refreshArguments())
        try await stock.server.waitForRequest("/b.bin")
        #expect(try await stage.refresh(["--metrics", path, "--lock", policy]).status == .exited(exit))
        let after = try stage.metrics(path)
        expect("lock", in: after)
        #expect(after[Self.freshness] == before[Self.freshness] && after[Self.freshness] != nil)
        gate.open()
        #expect(try await holder.waitForExit().status == .exited(0))
    }
}
