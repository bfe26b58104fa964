import Glibc

/// A real tinyproxy on a free port of loopback.
package final class TinyproxyServer: Sendable {
    package let port: UInt16
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts tinyproxy, and waits until it is up. It takes no socket that listens already, so a port may be lost to others between two steps:
    /// then the next one is tried.
    ///
    /// - Throws: `MissingTool`; `ChildProcess.EndedEarly` with what tinyproxy says.
    package init() async throws {
        directory = try TemporaryDirectory()
        var triesLeft = 5
        while true {
            let port = try LoopbackListener().port
            try directory.write(Self.configuration(port: port).utf8, to: "tinyproxy.conf")
            let process = try ChildProcess("tinyproxy", ["-d", "-c", directory["tinyproxy.conf"]], lastSignal: SIGTERM)
            do {
                try await process.wait(for: "the start") { Self.hasStarted($0.outputText + $0.errorText) ? () : nil }
                (self.port, self.process) = (port, process)
                return
            } catch {
                triesLeft -= 1
                if triesLeft == 0 { throw error }
            }
        }
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// How many requests it passed on so far, tunnels included.
    package var requestCount: Int {
        let result = process.soFar
        return (result.outputText + result.errorText).split(separator: "\n").count {
            $0.contains("Request (file descriptor")
        }
    }

    /// Ends it, as its deinitializer does, too.
    package func stop() { process.kill(SIGTERM) }

    private static func hasStarted(_ log: String) -> Bool { log.contains("Accepting connections") }

    /// In the foreground, with its log on standard output; tunnels may lead to any port.
    private static func configuration(port: UInt16) -> String {
        """
        Port \(port)
        Listen 127.0.0.1
        Timeout 60
        MaxClients 400
        LogLevel Info

        """
    }
}
