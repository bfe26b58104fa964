import TestSupport

/// What goes over the wire in answer to one request, and how. Every misbehaviour is a change to a reply:
///
///     Reply.status(200).body(.pattern(lengthBytes: 1_000_000, seed: 1)).cut(afterBytes: 700_000)
package struct Reply: Sendable {
    package enum Framing: Sendable {
        /// A `Content-Length`: the body's own, or whatever the headers already say.
        case lengthDelimited
        case chunked(chunkBytes: Int)
        /// Neither length nor chunks: the body ends where the connection does.
        case untilClose
    }

    package enum Ending: Sendable {
        /// An orderly end (FIN).
        case finish
        /// A connection reset (RST), after the client's kernel has got the bytes before it.
        case reset
    }

    package var status: Int
    package var headers: Headers
    package var body = Content.empty
    package var framing = Framing.lengthDelimited
    package var delivery = Delivery()
    /// Sent instead of everything HTTP asks for.
    package var garbage: [UInt8]?

    /// How the bytes of a reply are handed over.
    package struct Delivery: Sendable {
        package var headGate: Gate?
        /// How long to wait before each line of the head.
        package var headLinePause: Duration?
        /// Where in the body to stop until a gate opens, or without one for ever.
        package var stalls: [(afterBytes: UInt64, gate: Gate?)] = []
        /// Where in the body to end the connection.
        package var cut: (afterBytes: UInt64, ending: Ending)?
        package var bytesPerSecond: UInt64?
        package var bytesPerWrite = 65_536
    }

    // MARK: Kinds of reply

    package static func status(_ status: Int, _ headers: Headers = [:]) -> Reply {
        var all: Headers = ["Date": HTTPDate.fromNow()]
        all.merge(headers)
        return Reply(status: status, headers: all)
    }

    /// An error as web servers send them: with a page for people, which nobody wants in a file.
    package static func errorPage(_ status: Int, _ headers: Headers = [:]) -> Reply {
        Reply.status(status, headers).header("Content-Type", "text/html")
            .body(
                .text("<!DOCTYPE html><html><title>\(status)</title><h1>\(status) Something went wrong</h1></html>\n"))
    }

    /// 429 or 503, with a `Retry-After` in seconds or as a date (see `HTTPDate.fromNow`).
    package static func retryLater(_ status: Int = 503, after: String) -> Reply {
        errorPage(status, ["Retry-After": after])
    }

    package static func redirect(_ status: Int = 302, to location: String) -> Reply {
        errorPage(status, ["Location": location])
    }

    /// 416 (RFC 9110 §15.5.17), by default with the length the server knows.
    package static func rangeNotSatisfiable(lengthBytes: UInt64?) -> Reply {
        let reply = errorPage(416)
        return lengthBytes.map { reply.header("Content-Range", "bytes */\($0)") } ?? reply
    }

    /// No HTTP at all: these bytes, if any, and then the connection ends.
    package static func garbage(_ text: String = "", _ ending: Ending = .finish) -> Reply {
        var reply = Reply.status(0).cut(afterBytes: 0, ending)
        reply.garbage = Array(text.utf8)
        return reply
    }

    // MARK: Changes

    package func changed(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }

    package func status(_ status: Int) -> Reply { changed { $0.status = status } }
    package func body(_ body: Content) -> Reply { changed { $0.body = body } }
    package func header(_ name: String, _ value: String) -> Reply { changed { $0.headers[name] = value } }
    package func without(_ header: String) -> Reply { changed { $0.headers[header] = nil } }

    /// Says another length than the body has; the connection ends after the body.
    package func declaring(contentLength: UInt64) -> Reply { header("Content-Length", "\(contentLength)") }
    package func chunked(chunkBytes: Int = 16_384) -> Reply {
        changed { $0.framing = .chunked(chunkBytes: chunkBytes) }
    }
    package func untilClose() -> Reply { changed { $0.framing = .untilClose } }

    /// Sends nothing, not even the status, before the gate opens.
    package func headHeld(until gate: Gate) -> Reply { changed { $0.delivery.headGate = gate } }

    /// Sends the head, or the garbage in its place, line by line with a pause before each.
    package func headDripped(every pause: Duration) -> Reply { changed { $0.delivery.headLinePause = pause } }

    /// Goes silent after so many body bytes until the gate opens, the client leaves or the server stops.
    package func stalled(afterBytes: UInt64, until gate: Gate? = nil) -> Reply {
        changed { $0.delivery.stalls.append((afterBytes, gate)) }
    }

    /// Ends the connection after so many body bytes. A chunked body, even if all of it was sent, then lacks its last chunk.
    package func cut(afterBytes: UInt64, _ ending: Ending = .finish) -> Reply {
        changed { $0.delivery.cut = (afterBytes, ending) }
    }

    package func paced(bytesPerSecond: UInt64) -> Reply { changed { $0.delivery.bytesPerSecond = bytesPerSecond } }

    /// Hands over the body in writes of this size, each of which is a packet of its own if the client reads fast enough.
    package func trickled(bytesPerWrite: Int) -> Reply { changed { $0.delivery.bytesPerWrite = bytesPerWrite } }
}
