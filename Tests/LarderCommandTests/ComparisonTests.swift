import Testing

/// What the comparison says of other programs, and of this one, is what they do.
@Suite struct ComparisonTests {
    @Test(arguments: ComparedCommand.all)
    func whatIsSaidOfACommandIsWhatItDoes(_ row: ComparedCommand) async throws {
        let outcome = try await Self.outcome(of: row)
        #expect(outcome == row.outcome)
    }

    @Test func everyPeerIsInIt() {
        let programs = Set(ComparedCommand.all.compactMap { $0.command.split(separator: " ").first.map(String.init) })
        #expect(
            programs.isSuperset(of: ["larder", "aria2c", "curl", "wget2", "rclone", "yt-dlp", "unzip", "bsdtar"]),
            "\(programs)")
    }

    private static func outcome(of row: ComparedCommand) async throws -> String {
        let stage = try ComparisonStage()
        return switch row.title {
        case "The line drops half-way": try await stage.afterADroppedLine(row.command)
        case "The file changes while a download is paused": try await stage.afterAChange(row.command)
        case "The server sends other bytes": try await stage.afterWrongBytes(row.command)
        case "A reader looks in the middle of an update": try await stage.whileFilesAreReplaced(row.command)
        case "Nothing has changed": try await stage.whenNothingChanged(row.command)
        case "An archive that leads out of its folder": try await stage.leavingArchive(row.command)
        case "An archive that is damaged": try await stage.damagedArchive(row.command)
        default: "there is no scene for “\(row.title)”"
        }
    }
}
