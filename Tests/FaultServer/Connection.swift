import Glibc
import TestSupport

/// One client's connection, on a thread of its own: reads requests and delivers replies until either side has enough.
final class Connection: Sendable {
    private let socket: ConnectedSocket
    private let number: Int
    private let listener: Listener

    init(_ descriptor: OwnedDescriptor, number: Int, listener: Listener) {
        socket = ConnectedSocket(descriptor, stopped: listener.stopped)
        self.number = number
        self.listener = listener
    }

    func run() {
        var received: [UInt8] = []
        while let head = readHead(&received) {
            guard let request = Request(head: head, connection: number) else { break }
            let (exchange, reply) = listener.answer(request, on: socket)
            let end = deliver(reply, to: request, exchange)
            listener.log.update { $0[exchange].end = end }
            listener.isFinishing(request)
            guard end == .complete, !request.wantsClose, reply.keepsConnection else { break }
        }
        socket.close()
    }

    /// - Parameter received: bytes read so far; keeps those behind the head.
    /// - Returns: `nil` when the client has left, the server stops or the head is too long.
    private func readHead(_ received: inout [UInt8]) -> String? {
        let emptyLine = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstIndex(of: emptyLine) {
                defer { received.removeFirst(end + emptyLine.count) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard received.count < 65_536, let more = socket.read() else { return nil }
            received += more
        }
    }

    private func deliver(_ reply: Reply, to request: Request, _ exchange: Int) -> Exchange.End {
        do throws(ConnectionLost) {
            if let gate = reply.delivery.headGate { try socket.wait(at: gate) }
            if let garbage = reply.garbage {
                try sendHead(garbage, reply.delivery)
            } else {
                // First: whoever has the reply may look at once.
                listener.log.update { $0[exchange].status = reply.status }
                let hasBody = request.method != "HEAD" && reply.hasBody
                if !hasBody && reply.delivery.cut == nil { noteTheEnd(of: request, exchange, bodyBytes: 0) }
                try sendHead(Array(reply.head.utf8), reply.delivery)
                if hasBody { try deliverBody(of: reply, to: request, exchange) }
            }
            guard let cut = reply.delivery.cut, request.method != "HEAD" else { return .complete }
            if cut.ending == .reset { try socket.resetOnClose() }
            return .cut
        } catch {
            return error == .serverStopped ? .serverStopped : .peerClosed
        }
    }

    private func sendHead(_ head: [UInt8], _ delivery: Reply.Delivery) throws(ConnectionLost) {
        guard let pause = delivery.headLinePause else { return try socket.send(head[...]) }
        var rest = head[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex - 1
            try socket.pause(for: pause)
            try socket.send(rest[...end])
            rest = rest[(end + 1)...]
        }
    }

    private func deliverBody(of reply: Reply, to request: Request, _ exchange: Int) throws(ConnectionLost) {
        let plan = DeliveryPlan(of: reply)
        var buffer = [UInt8](repeating: 0, count: plan.pieceBytes)
        var sent: UInt64 = 0
        for (index, stop) in plan.stops.enumerated() {
            while sent < stop.afterBytes {
                if let pause = plan.pauseBeforePiece { try socket.pause(for: pause) }
                let count = Int(min(UInt64(plan.pieceBytes), stop.afterBytes - sent))
                buffer.withUnsafeMutableBytes {
                    reply.body.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), at: sent)
                }
                if index == plan.endOfReply, sent + UInt64(count) == stop.afterBytes {
                    noteTheEnd(of: request, exchange, bodyBytes: stop.afterBytes)
                }
                try sendPiece(buffer[..<count], reply.framing)
                sent += UInt64(count)
                let total = sent
                listener.log.update { $0[exchange].bodyBytesSent = total }
            }
            switch stop.then {
            case .goOn: break
            case .wait(let gate): try socket.wait(at: gate)
            case .end: return
            }
        }
        if case .chunked = reply.framing {
            noteTheEnd(of: request, exchange, bodyBytes: sent)
            try socket.send(Array("0\r\n\r\n".utf8)[...])
        }
    }

    /// Before the last bytes go: whoever has all of the reply may look at once. Should they not get through, that is noted afterwards.
    private func noteTheEnd(of request: Request, _ exchange: Int, bodyBytes: UInt64) {
        listener.log.update {
            $0[exchange].bodyBytesSent = bodyBytes
            $0[exchange].end = .complete
        }
        listener.isFinishing(request)
    }

    private func sendPiece(_ piece: ArraySlice<UInt8>, _ framing: Reply.Framing) throws(ConnectionLost) {
        switch framing {
        case .lengthDelimited, .untilClose: try socket.send(piece)
        case .chunked: try socket.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10])
        }
    }
}

/// A body's delivery as a sequence of stops, in order.
private struct DeliveryPlan {
    enum Action {
        case goOn
        case wait(Gate?)
        case end
    }

    let stops: [(afterBytes: UInt64, then: Action)]
    /// The stop that a client sees the reply end at; `nil` where there is none, or something else tells it.
    let endOfReply: Int?
    let pieceBytes: Int
    let pauseBeforePiece: Duration?

    init(of reply: Reply) {
        let delivery = reply.delivery
        let length = reply.body.lengthBytes
        var stops: [(afterBytes: UInt64, then: Action)] = delivery.stalls.sorted { $0.afterBytes < $1.afterBytes }
            .filter { $0.afterBytes <= length }
            .map { ($0.afterBytes, .wait($0.gate)) }
        if let cut = delivery.cut {
            stops.removeAll { $0.afterBytes > cut.afterBytes }
            stops.append((min(cut.afterBytes, length), .end))
        } else {
            stops.append((length, .goOn))
        }
        self.stops = stops
        if case .lengthDelimited = reply.framing, delivery.cut == nil {
            endOfReply = stops.count - 1
        } else {
            endOfReply = nil
        }
        var pieceBytes = delivery.bytesPerWrite
        if case .chunked(let chunkBytes) = reply.framing { pieceBytes = min(pieceBytes, chunkBytes) }
        guard let rate = delivery.bytesPerSecond else {
            self.pieceBytes = pieceBytes
            pauseBeforePiece = nil
            return
        }
        // Twenty pieces a second look steady to a client.
        self.pieceBytes = min(pieceBytes, max(1, Int(clamping: rate / 20)))
        pauseBeforePiece = .seconds(Double(self.pieceBytes) / Double(max(1, rate)))
    }
}

extension Reply {
    /// Whether there is a body at all (RFC 9112 §6.3).
    fileprivate var hasBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// Whether a client can tell where the body ends without the connection's end.
    fileprivate var keepsConnection: Bool {
        if case .untilClose = framing { return false }
        let saysClose = headers["Connection"]?.lowercased() == "close"
        return garbage == nil && !saysClose && (headers["Content-Length"] == nil || !hasBody)
    }

    /// Status line and header fields, up to and including the empty line.
    fileprivate var head: String {
        var fields = headers
        switch framing {
        case .lengthDelimited where hasBody && headers["Content-Length"] == nil:
            fields["Content-Length"] = "\(body.lengthBytes)"
        case .chunked: fields["Transfer-Encoding"] = "chunked"
        case .untilClose: fields["Connection"] = "close"
        case .lengthDelimited: break
        }
        let lines =
            ["HTTP/1.1 \(status) "]
            + fields.fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

extension [UInt8] {
    fileprivate func firstIndex(of needle: [UInt8]) -> Int? {
        guard count >= needle.count else { return nil }
        return (0...count - needle.count).first { self[$0..<$0 + needle.count].elementsEqual(needle) }
    }
}
