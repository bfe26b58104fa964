import Glibc
import TestSupport
import Testing

/// Runs that can't end in their own time: here, since nobody reads what they print.
@Suite struct StuckRunTests {
    private let stock: Stock
    private let pipe: OwnedDescriptor
    private let run: ChildProcess

    init() async throws {
        stock = try Stock()
        // More events than a pipe holds.
        stock.serveManifest((0..<1000).map { #"{"id": "b\#($0)", "kind": "ebook", "urls": ["b.epub"]}"# })
        let path = stock.directory["events"]
        try check(mkfifo(path, 0o600), "mkfifo")
        // Open for both, so that neither side waits for the other.
        pipe = OwnedDescriptor(try check(open(path, O_RDWR | O_CLOEXEC), "open \(path)"))
        let command = ([try LarderProgram.path] + stock.arguments(["--json"])).map { "'\($0)'" }.joined(separator: " ")
        run = try ChildProcess("sh", ["-c", "exec \(command) > '\(path)'"])
        var size: Int32 = 0
        try await waitUntil("the pipe is full") { [pipe] in
            try check(ioctl(pipe.number, UInt(FIONREAD), &size), "FIONREAD")
            return size > 60_000
        }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func aSignalEndsThemInFiveSeconds(signal: Int32, exit: Int32) async throws {
        run.kill(signal)
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(exit))
    }

    @Test func theyCanStillSayHowFarTheyAre() async throws {
        run.kill(SIGUSR1)
        try await run.wait(for: "a line of progress", within: .seconds(20)) {
            $0.errorText.contains(" bundles ") ? () : nil
        }
    }

    @Test func aSecondSignalEndsThemAtOnce() async throws {
        run.kill(SIGINT)
        run.kill(SIGTERM)
        // Of the second signal: the first would have ended it seconds later, and with its own status.
        #expect(try await run.waitForExit(within: .seconds(5)).status == .exited(143))
    }
}
