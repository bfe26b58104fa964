import FaultServer
import Glibc
import TestSupport
import Testing

@testable import Jobs
@testable import LarderCommand

/// When a run keeps the machine awake.
@Suite struct AwakeKeeperTests {
    @Test func onlyWorkThatLastsCountsAndWaitingIsNone() {
        var gauge = WorkGauge()
        let moment = [1, 2, 2, 3, 3, 3].map { gauge.look($0) }
        #expect(!moment.contains(true))
        let work = (4..<8).map { gauge.look($0) }
        #expect(work == [false, false, true, true])
        let waiting = (0..<31).map { _ in gauge.look(7) }
        #expect(waiting == Array(repeating: true, count: 29) + [false, false])
        let again = (8..<11).map { gauge.look($0) }
        #expect(again == [false, false, true])
    }

    /// A `PATH` with a stand-in that says what it was started with, and when its input ended.
    private func path(_ folder: TemporaryDirectory) throws -> String {
        let script = "#!/bin/sh\necho \"$@\" > '\(folder["began"])'\ncat\necho over > '\(folder["over"])'\n"
        let program = try folder.write(script.utf8, to: "systemd-inhibit")
        try #require(chmod(program, 0o755) == 0)
        return "\(folder.path):\(ChildProcess.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin")"
    }

    private func waitForFile(_ name: String, in folder: TemporaryDirectory) async throws {
        // Nobody tells when another process has written a file.
        for _ in 0..<3_000 {
            if let bytes = try? folder.read(name), !bytes.isEmpty { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("there is no \(name)")
    }

    @Test(arguments: [SIGKILL, SIGINT]) func aSyncThatLastsHoldsIt(_ signal: Int32) async throws {
        let stock = try Stock()
        stock.serveManifest([
            stock.file("a", .pattern(lengthBytes: 30_000_000, seed: 1)) { resource in
                resource.altered { _, reply in reply.paced(bytesPerSecond: 100_000) }
            }
        ])
        var environment = ChildProcess.inheritedEnvironment
        environment["PATH"] = try path(stock.directory)
        let sync = try ChildProcess(LarderProgram.path, stock.arguments(), environment: environment)
        try await waitForFile("began", in: stock.directory)
        let arguments = String(decoding: try stock.directory.read("began"), as: UTF8.self)
        #expect(arguments.hasPrefix("--what=idle --who=larder"), "\(arguments)")
        #expect((try? stock.directory.read("over")) == nil)
        sync.kill(signal)
        try await sync.waitForExit()
        try await waitForFile("over", in: stock.directory)
    }
}
