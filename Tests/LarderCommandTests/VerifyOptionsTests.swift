import TestSupport
import Testing

@testable import LarderCommand

/// What a command line of `larder verify` makes of the run that mends.
@Suite struct VerifyOptionsTests {
    /// It runs at night like a refresh, and holds the lock meanwhile.
    @Test func repairingWaitsForANetworkNoLongerThanARefresh() throws {
        let arguments = ["verify", "--library", "/nowhere", "--repair"]
        guard case .run(let parsed) = try larderCommands.parse(arguments, environment: [:]) else {
            return #expect(Bool(false))
        }
        #expect(try VerifyCommand(parsed).repairOptions().networkPatience == .seconds(300))
    }

    @Test func repairingGoesByTheSettings() throws {
        let folder = try TemporaryDirectory()
        let text = #"{"maxConnections": 3, "connectionsPerHost": 2, "retries": 4, "split": 5, "userAgent": "kiosk"}"#
        let path = try folder.write(text.utf8, to: "settings.json")
        let arguments = ["verify", "--library", "/nowhere", "--repair", "--config", path]
        guard case .run(let parsed) = try larderCommands.parse(arguments, environment: [:]) else {
            return #expect(Bool(false))
        }
        let downloads = try VerifyCommand(parsed).repairOptions().downloads
        #expect(downloads.maximumTransfers == 3 && downloads.maximumTransfersPerHost == 2)
        #expect(downloads.retry.retries == 4 && downloads.split.maximumConnections == 5)
        #expect(downloads.session.userAgent == "kiosk")
    }
}
