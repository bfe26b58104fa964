import Platform
import Testing

@testable import Jobs
@testable import LarderCommand

@Suite struct SegmentProgressTests {
    private func event(_ kind: RunEvent.Kind, bundle: String = "film") -> RunEvent {
        RunEvent(time: Timestamp(seconds: 0), manifest: "m", bundle: bundle, kind: kind)
    }

    private func figures(_ files: Int, totalDuration: Duration?) -> SegmentFigures {
        var figures = SegmentFigures()
        (figures.files, figures.totalFiles, figures.bytes) = (files, 900, 3 << 20)
        (figures.duration, figures.totalDuration) = (.seconds(3_750), totalDuration)
        return figures
    }

    private func lines(_ events: [RunEvent], columns: Int = 100) -> [String] {
        var model = ProgressModel()
        for event in events { model.take(event) }
        return ProgressPainter(columns: columns, rows: 24).lines(model)
    }

    @Test func eachBundleHasALineOfFilesBytesAndTimeOfPlay() {
        let lines = lines([
            event(.segmentProgress(figures(1, totalDuration: .seconds(6_300)))),
            event(.segmentProgress(figures(120, totalDuration: .seconds(6_300)))),
            event(.segmentProgress(figures(7, totalDuration: nil)), bundle: "radio"),
        ])
        #expect(
            lines.dropLast() == [
                "film  120/900 segments  3.1 MB  1:02:30 of 1:45:00 of play",
                "radio  7/900 segments  3.1 MB  1:02:30 of play",
            ])
    }

    @Test(arguments: [
        (58, "film  120/900 segments  3.1 MB  1:02:30 of 1:45:00 of play"),
        (57, "film  120/900 segments  3.1 MB"), (40, "film  120/900 segments  3.1 MB"), (29, "film  120/900 segments"),
        (21, "120/900 segments"), (10, "120/…ments"),
    ])
    func figuresThatFindNoRoomAreLeftOut(columns: Int, line: String) {
        let event = event(.segmentProgress(figures(120, totalDuration: .seconds(6_300))))
        #expect(lines([event], columns: columns).first == line)
    }

    @Test func aLongNameIsCutBeforeTheFigures() {
        let event = event(.segmentProgress(figures(120, totalDuration: nil)), bundle: "a-bundle-with-a-long-name")
        #expect(lines([event], columns: 40).first == "a-bund…ng-name  120/900 segments  3.1 MB")
        #expect(lines([event], columns: 30).first == "a-bun…g-name  120/900 segments")
    }

    @Test func theLineGoesWithTheBundle() {
        #expect(lines([event(.segmentProgress(figures(900, totalDuration: nil))), event(.bundleVerified)]).count == 1)
    }

    @Test func eventsTellTheSame() {
        let line = event(.segmentProgress(figures(120, totalDuration: nil))).jsonLine
        #expect(line.contains(#""event":"segments.progress""#) && line.contains(#""files":120,"totalFiles":900"#))
        #expect(line.contains(#""seconds":3750"#) && line.contains(#""totalSeconds":null"#), "\(line)")
    }
}
