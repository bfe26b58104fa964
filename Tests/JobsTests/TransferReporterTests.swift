import Platform
import Testing
import Transfer

@testable import Downloads
@testable import Jobs

@Suite struct TransferReporterTests {
    private func progress(_ bytes: Int64, isShared: Bool) -> DownloadEvent {
        .progress(
            DownloadProgress(
                receivedBytes: bytes, totalBytes: 1000, resumedFromBytes: 50, bytesPerSecond: nil, isShared: isShared))
    }

    @Test func bytesCountFromWhereTheyAreThisCallers() throws {
        let counted = Locked<Int64>(0)
        let reporter = TransferReporter(
            url: "http://a.example/", received: { bytes in counted.withLock { $0 += bytes } }, emit: { _, _, _ in })
        reporter.report(.coalesced)
        reporter.report(progress(100, isShared: true))
        reporter.report(progress(300, isShared: true))
        #expect(counted.withLock { $0 } == 0)
        reporter.report(progress(400, isShared: false))
        #expect(counted.withLock { $0 } == 100)
        reporter.report(.started(try TransferURL("http://a.example/")))
        reporter.report(progress(80, isShared: false))
        #expect(counted.withLock { $0 } == 130)
    }
}
