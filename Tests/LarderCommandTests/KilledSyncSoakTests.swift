import Glibc
import TestSupport
import Testing

/// A run that is killed outright, again and again, loses nothing but what was between the server and the disk.
@Suite(.serialized) struct KilledSyncSoakTests {
    /// What a server may have sent in vain to each transfer that was running when the program was killed: the kernels' buffers.
    private static let lostBytes: UInt64 = 2 << 20
    /// What the record of a file with holes lags behind.
    private static let unrecordedBytes: UInt64 = 2 << 20

    struct Split {
        let connections: String
        /// Of each connection.
        let limitRate: UInt64
        let lostBytes: UInt64
    }

    /// Over one connection the file itself says how much there is. Over several, six from one host, only the record does.
    private static let splits = [
        Split(connections: "1", limitRate: 10_000_000, lostBytes: lostBytes),
        Split(connections: "auto", limitRate: 2_000_000, lostBytes: 6 * lostBytes + unrecordedBytes),
    ]

    @Test(arguments: 0..<Parameters.rounds, splits)
    func tenKillsCostNoMoreThanWhatTheBuffersHeld(round: Int, split: Split) async throws {
        var generator = Seed.generator(for: "killed sync \(round)")
        let sizeBytes = try RealBundle.textures.sizeBytes
        // Up to four fifths: nginx gives each connection its first second's bytes at once, so a transfer may be that far past its moment.
        let moments = (0..<10).map { _ in Int.random(in: 0..<sizeBytes / 5 * 4, using: &generator) }.sorted()
        let server = try await RealBundleServer(limitRate: split.limitRate)
        let library = try TemporaryDirectory()

        // How often each URL was being transferred when the program was killed.
        var killed: [String: UInt64] = [:]
        for moment in moments {
            for url in try await transfersKilled(
                of: server, library: library.path, split: split.connections,
                when: { $0.hasReceived(moment) || $0.isVerified })
            {
                killed[url, default: 0] += 1
            }
        }
        // Once more when there is nothing left to transfer, but everything to unpack.
        let running = try await transfersKilled(
            of: server, library: library.path, split: split.connections,
            when: \.isVerified)
        #expect(running == [])

        let last = try await LarderProgram.run(["sync", server.manifestURL, "--library", library.path])
        #expect(last.status == .exited(0), "\(last)")
        #expect(try await server.differences(inLibrary: library.path) == [])

        let accesses = try await server.nginx.finish()
        for bundle in RealBundle.all {
            let sent = accesses.filter { $0.target == "/\(bundle.name)" }.reduce(0) { $0 + $1.bodyBytesSent }
            let kills = killed[server.nginx.url("/\(bundle.name)")] ?? 0
            let allowed = UInt64(try bundle.sizeBytes) + kills * split.lostBytes
            #expect(sent <= allowed, "\(bundle.name): \(sent) bytes sent, \(kills) kills")
        }
    }

    /// Starts a run, kills it at the first event that `isMoment` finds, and waits for its end.
    ///
    /// - Returns: the URLs that were being transferred.
    private func transfersKilled(
        of server: RealBundleServer, library: String, split: String,
        when isMoment: @escaping @Sendable (ProgramEvent) -> Bool
    ) async throws -> Set<String> {
        let program = try LarderProgram.start([
            "sync", server.manifestURL, "--library", library, "--split", split, "--json",
        ])
        try await program.wait(for: "the moment to kill it", within: .seconds(60)) { result in
            result.events.contains(where: isMoment) ? () : nil
        }
        program.kill(SIGKILL)
        let result = try await program.waitForExit()
        #expect(result.status == .signalled(SIGKILL))
        var running: Set<String> = []
        for event in result.events {
            guard let url = event.value["url"]?.string else { continue }
            switch event.name {
            case "transfer.started", "transfer.progress": running.insert(url)
            case "transfer.finished": running.remove(url)
            default: break
            }
        }
        return running
    }
}

extension ProgramEvent {
    /// Whether the textures are whole: over several connections that may be before a moment was ever told.
    fileprivate var isVerified: Bool { name == "bundle.verified" && bundle == RealBundle.textures.id }

    /// Whether the textures have come so far.
    fileprivate func hasReceived(_ bytes: Int) -> Bool {
        guard name == "transfer.progress", bundle == RealBundle.textures.id, let received = self["received"] else {
            return false
        }
        return received >= bytes
    }
}
