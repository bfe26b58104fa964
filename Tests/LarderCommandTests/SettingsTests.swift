import Downloads
import FaultServer
import TestSupport
import Testing
import Transfer

@testable import LarderCommand

/// `--config`.
@Suite struct SettingsTests {
    private let stock: Stock

    init() throws {
        stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 300_000, seed: 1))])
    }

    private func settings(_ text: String) throws -> SessionSettings {
        var settings = SessionSettings(session: SessionConfiguration())
        try settings.read(stock.directory.write(text.utf8, to: "settings.json"))
        return settings
    }

    @Test(arguments: ["", "+4", "0", "65", "-1", "four", "4 "]) func whatIsNoNumberOfConnections(_ text: String) {
        #expect(SplitPolicy(text) == nil)
        #expect(SplitPolicy("4")?.maximumConnections == 4)
    }

    @Test func everySettingIsTaken() throws {
        let file = try stock.directory.write([], to: "some.pem")
        let settings = try settings(
            """
            {"maxConnections": 3, "connectionsPerHost": 2, "rateLimit": "1M", "idleTimeout": "7s",
             "connectTimeout": "8s", "transferTimeout": "9m", "minRate": 100, "retries": 4, "maxRedirects": 6,
             "split": 5,
             "allowedSchemes": ["https"], "httpVersion": "1.1", "proxy": "", "interface": "lo", "caBundle": "\(file)",
             "userAgent": "kiosk", "headers": {"X-Site": "7"}, "netrc": "\(file)", "bodyBudget": "2G"}
            """)
        var expected = SessionConfiguration()
        expected.rateLimitBytesPerSecond = 1 << 20
        (expected.idleTimeout, expected.connectTimeout, expected.transferTimeout) = (
            .seconds(7), .seconds(8), .seconds(540)
        )
        expected.minimumBytesPerSecond = 100
        expected.allowedSchemes = ["https"]
        expected.httpVersion = .http1
        (expected.proxy, expected.interface, expected.caBundlePath) = ("", "lo", file)
        (expected.userAgent, expected.headers, expected.netrcPath) = ("kiosk", ["X-Site": "7"], file)
        #expect(settings.session == expected)
        #expect(settings.maximumConnections == 3 && settings.connectionsPerHost == 2 && settings.retries == 4)
        #expect(settings.split?.maximumConnections == 5)
        #expect(settings.redirects == .follow(limit: 6) && settings.bodyBudgetBytes == 2 << 30)
    }

    @Test func noRedirectsMeansThatAllAreRefused() throws {
        #expect(try settings(#"{"maxRedirects": 0}"#).redirects == .refuse)
    }

    @Test(arguments: [
        (
            #"{"idleTimout": "3s"}"#,
            #":1:2: error[C002]: there is no setting "idleTimout"; did you mean "idleTimeout"?"#
        ),
        (#"{"idleTimeout": 3}"#, ":1:17: error[C003]"), (#"{"idleTimeout": "0s"}"#, "error[C003]"),
        (#"{"split": 0}"#, "error[C003]"), (#"{"split": "many"}"#, "error[C003]"),
        (#"{"retries": "5"}"#, "error[C003]"), (#"{"retries": -1}"#, "error[C003]"),
        (#"{"maxConnections": 0}"#, "from 1 to 256"), (#"{"rateLimit": 0}"#, "error[C003]"),
        (#"{"allowedSchemes": ["file"]}"#, "error[C003]"), (#"{"allowedSchemes": []}"#, "error[C003]"),
        (#"{"httpVersion": "3"}"#, "error[C003]"), (#"{"caBundle": "/nowhere/ca.pem"}"#, "can be read"),
        (#"{"caBundle": "/etc"}"#, "file that can be read"), (#"{"netrc": "/etc"}"#, "file that can be read"),
        (#"{"userAgent": "a\nb"}"#, "error[C003]"), (#"{"headers": {"A b": "c"}}"#, "error[C003]"),
        (#"{"headers": {"X-Site": "7", "range": "bytes=0-9"}}"#, "error[C003]"),
        (#"{"headers": {"Authorization": 7}}"#, "error[C003]"), (#"{"proxy": null}"#, "error[C003]"),
        (#"{"schedule": {}}"#, "is a list of objects"), (#"{"retries": 1, "retries": 2}"#, "again"),
        ("[]", "error[C001]"), ("{", "error[J"),
    ])
    func whatItDoesNotUnderstandIsAMistakeOfTheCommandLine(text: String, says: String) async throws {
        let path = try stock.directory.write(text.utf8, to: "settings.json")
        let result = try await stock.sync("--config", path)
        #expect(result.status == .exited(64), "\(result)")
        #expect(result.problems.count == 1 && result.errorText.hasPrefix("larder: \(path):"), "\(result)")
        #expect(result.errorText.contains(says), "\(result)")
        #expect(stock.server.log.isEmpty)
    }

    @Test func whatIsWrongIsNotQuoted() async throws {
        let path = try stock.directory.write(
            #"{"headers": {"Authorization": "Bearer s3cret\u0000"}, "proxy": 7}"#.utf8, to: "settings.json")
        let result = try await stock.sync("--config", path)
        #expect(result.status == .exited(64) && result.problems.count == 2, "\(result)")
        #expect(!result.errorText.contains("s3cret"))
    }

    @Test func aFileThatIsMissingIsNamed() async throws {
        let path = stock.directory["missing.json"]
        let result = try await stock.sync("--config", path)
        #expect(result.status == .exited(64) && result.errorText.contains(path), "\(result)")
    }

    @Test func aRateOfNothingIsAMistake() async throws {
        let result = try await stock.sync("--limit-rate", "0")
        #expect(result.status == .exited(64) && result.errorText.contains("--limit-rate"), "\(result)")
        #expect(stock.server.log.isEmpty)
    }

    @Test func theCommandLineWins() async throws {
        let path = try stock.directory.write(
            #"{"retries": 3, "userAgent": "kiosk", "headers": {"X-Site": "7"}}"#.utf8, to: "s.json")
        stock.server.script("/a.bin", [.reply(.errorPage(503))])
        #expect(try await stock.sync("--config", path).status == .exited(1), "--retries 0 is given")
        let result = try await LarderProgram.run(
            ["sync", stock.manifestURL, "--library", stock.library, "--min-free", "0", "--config", path])
        #expect(result.status == .exited(0), "\(result)")
        let request = try #require(stock.server.log.last?.request)
        #expect(request["User-Agent"] == "kiosk" && request["X-Site"] == "7")
    }

    @Test func redirectsAndBudgetsAreThoseOfTheSettings() async throws {
        stock.server.serve("/moved.bin", always: .redirect(to: "/a.bin"))
        stock.serveManifest([#"{"id": "a", "kind": "ebook", "urls": ["moved.bin"]}"#])
        let refused = try await stock.sync(
            "--config", stock.directory.write(#"{"maxRedirects": 0}"#.utf8, to: "s.json"))
        #expect(refused.status == .exited(1) && refused.errorText.contains("redirect"), "\(refused)")
        let small = try await stock.sync(
            "--config", stock.directory.write(#"{"bodyBudget": "100K"}"#.utf8, to: "s.json"))
        #expect(small.status == .exited(1) && small.errorText.contains("102400"), "\(small)")
        #expect(try await stock.sync().status == .exited(0))
    }
}
