import Glibc
import TestSupport

/// Why a connection can't go on.
enum ConnectionLost: Error {
    case peerClosed
    case serverStopped
}

/// A client's socket. Whatever waits here ends, too, when the client leaves or the server stops.
final class ConnectedSocket: Sendable {
    /// The peer has closed its side (Linux's `POLLRDHUP`, which Swift's Glibc module doesn't show).
    private static let hangUp: Int16 = 0x2000

    private let descriptor: OwnedDescriptor
    private let stopped: Gate

    init(_ descriptor: OwnedDescriptor, stopped: Gate) {
        self.descriptor = descriptor
        self.stopped = stopped
        set(TCP_NODELAY, of: Int32(IPPROTO_TCP), to: 1 as Int32)
        // Little more than what the client has read can be on its way, so that a client's back-pressure shows in the log.
        set(SO_SNDBUF, of: SOL_SOCKET, to: 262_144 as Int32)
    }

    func close() { descriptor.close() }

    /// Whether the client has ended its side.
    var isLeft: Bool { pollDescriptors([(descriptor.number, Self.hangUp)], within: .zero)[0] != 0 }

    /// Makes `close` reset the connection, once the client's kernel has all that was sent: a reset throws away what is still on its way.
    func resetOnClose() throws(ConnectionLost) {
        // Writable only when nothing waits to be sent; nothing tells when the rest is acknowledged, so that is asked every millisecond.
        set(TCP_NOTSENT_LOWAT, of: Int32(IPPROTO_TCP), to: 1 as Int32)
        try wait(for: POLLOUT)
        while unacknowledgedSegments > 0 { try pause(for: .milliseconds(1)) }
        set(SO_LINGER, of: SOL_SOCKET, to: linger(l_onoff: 1, l_linger: 0))
    }

    private var unacknowledgedSegments: UInt32 {
        var information = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        getsockopt(descriptor.number, Int32(IPPROTO_TCP), TCP_INFO, &information, &length)
        return information.tcpi_unacked
    }

    /// - Returns: whatever has come, at least a byte; `nil` when there will be no more.
    func read() -> [UInt8]? {
        do { try wait(for: POLLIN) } catch { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            count = max(0, recv(descriptor.number, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Hands all the bytes to the kernel.
    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionLost) {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                // A client that has only finished its own side may still read.
                try wait(for: POLLOUT)
            } else if errno != EINTR {
                throw .peerClosed
            }
        }
    }

    /// Waits until a gate opens; without one, for ever.
    func wait(at gate: Gate?) throws(ConnectionLost) {
        let events = pollDescriptors(always + [(gate?.descriptor ?? -1, Int16(POLLIN))])
        if events[0] != 0 { throw .serverStopped }
        if events[2] == 0 { throw .peerClosed }
    }

    /// Lets time pass.
    func pause(for time: Duration) throws(ConnectionLost) {
        let events = pollDescriptors(always, within: time)
        if events[0] != 0 { throw .serverStopped }
        if events[1] != 0 { throw .peerClosed }
    }

    /// The server's end and the client's.
    private var always: [(descriptor: Int32, events: Int16)] {
        [(stopped.descriptor, Int16(POLLIN)), (descriptor.number, Self.hangUp)]
    }

    private func wait(for event: Int32) throws(ConnectionLost) {
        let events = pollDescriptors([(stopped.descriptor, Int16(POLLIN)), (descriptor.number, Int16(event))])
        if events[0] != 0 { throw .serverStopped }
    }

    private func set<Value>(_ option: Int32, of level: Int32, to value: Value) {
        withUnsafeBytes(of: value) { value in
            _ = setsockopt(descriptor.number, level, option, value.baseAddress, socklen_t(value.count))
        }
    }
}
