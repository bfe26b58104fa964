import Testing

@testable import Playlists

@Suite struct PlaylistFindingsTests {
    @Test func messageIsMadeForWhatIsTold() {
        var findings = PlaylistFindings(limit: 2)
        var made = 0
        for _ in 0..<5 {
            findings.report(
                .blanks,
                {
                    made += 1
                    return "blanks"
                }, at: 0..<1)
        }
        #expect(findings.diagnostics.count == 2 && made == 2)
    }
}
