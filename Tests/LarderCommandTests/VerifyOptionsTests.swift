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
}
