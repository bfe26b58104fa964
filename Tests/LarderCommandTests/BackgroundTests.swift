import FaultServer
import Platform
import TestSupport
import Testing

/// What `--background` makes of a run.
@Suite struct BackgroundTests {
    /// The scheduling policy (proc(5), field 41 of `stat`) of each thread. Nice values are no use: root's dispatch threads take their own, which mean
    /// nothing under `SCHED_IDLE`.
    private func policies(of process: Int32) throws -> Set<String> {
        let threads = try directoryEntries(FilePathBytes("/proc/\(process)/task"))
        return Set(
            threads.compactMap { thread in
                guard let stat = try? readFile("/proc/\(process)/task/\(thread)/stat") else { return nil }
                // The second field is a name, in parentheses, that may have anything in it.
                let text = String(decoding: stat, as: UTF8.self)
                let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
                return fields.count > 38 ? String(fields[38]) : nil
            })
    }

    @Test(arguments: [(true, "5", "idle"), (false, "0", "none")])
    func everyThreadStepsAside(isBackground: Bool, policy: String, io: String) async throws {
        let stock = try Stock()
        stock.serveManifest([stock.file("a", .pattern(lengthBytes: 2_000_000, seed: 1))])
        stock.server.script("/a.bin", [.altered { $0.stalled(afterBytes: 1_000_000) }])
        let run = try isBackground ? stock.startSync("--background") : stock.startSync()
        try await stock.server.waitUntilSent("/a.bin", bytes: 1_000_000)
        let policies = try policies(of: run.processID)
        #expect(policies == [policy], "\(policies)")
        for thread in try directoryEntries(FilePathBytes("/proc/\(run.processID)/task")) {
            let shown = try await ChildProcess.run("ionice", ["-p", "\(thread)"])
            // A worker thread that had nothing to do may have ended meanwhile.
            let isThere = try directoryEntries(FilePathBytes("/proc/\(run.processID)/task")).contains(thread)
            #expect(shown.outputText.hasPrefix(io) || !isThere, "\(shown)")
        }
    }
}
