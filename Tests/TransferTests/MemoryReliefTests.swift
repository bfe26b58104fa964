import FaultServer
import Glibc
import TestSupport
import Testing

@testable import Transfer

/// What a session does with less of, and what its packets are marked as.
@Suite struct MemoryReliefTests {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.serve("/a", Resource(.pattern(lengthBytes: 3_000_000, seed: 1)))
    }

    @Test func spareBuffersAndHandlesGoAndWhatRunsGoesOn() async throws {
        let session = Session()
        _ = try await session.get(server.url("/a"))
        let gate = try Gate()
        server.script("/a", [.altered { $0.stalled(afterBytes: 1_000_000, until: gate) }])
        let running = RecordingConsumer()
        session.start(TransferRequest(url: try TransferURL(server.url("/a"))), consumer: running)
        try await running.waitForBytes(600_000)
        let relief = await session.relieveMemory()
        #expect(relief.bufferBytes > 0)
        #expect(await session.relieveMemory() == MemoryRelief())
        gate.open()
        #expect(try await running.outcome().summary == "200")
        #expect(running.seen.now.body.count == 3_000_000)
        #expect(running.seen.now.pieceSizes.contains(BodyPipeline.smallPieceBytes))
        await session.invalidate()
        #expect(await session.relieveMemory() == MemoryRelief())
    }

    @Test(
        arguments: [(SessionConfiguration.TrafficClass.standard, 0), (.lowerEffort, 4)]
            as [(SessionConfiguration.TrafficClass, Int32)])
    func packetsAreMarked(_ trafficClass: SessionConfiguration.TrafficClass, _ field: Int32) async throws {
        let session = Session { $0.trafficClass = trafficClass }
        _ = try await session.get(server.url("/a"))
        // The connection rests in the session.
        let fields = (0..<Int32(1024)).compactMap { descriptor -> Int32? in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            guard code == 0, UInt16(bigEndian: address.sin_port) == server.port else { return nil }
            var value: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, Int32(IPPROTO_IP), IP_TOS, &value, &size) == 0 ? value : nil
        }
        #expect(fields == [field])
        await session.invalidate()
    }
}
