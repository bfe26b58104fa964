import Glibc
import TestSupport

/// The listening socket, and what its connections share.
final class Listener: Sendable {
    let port: UInt16
    let routes = Watched<[String: Route]>([:])
    let log = Watched<[Exchange]>([])
    /// How many connections are open.
    let connections = Watched(0)
    /// How many were open at once at most.
    let mostConnections = Watched(0)
    let stopped: Gate
    /// Whose reply isn't all handed over: by path, the sockets.
    private let answering = Watched<[String: [Int: ConnectedSocket]]>([:])
    private let socket: LoopbackListener
    private let threads = Watched(0)

    init(port: UInt16, onEveryAddress: Bool) throws {
        stopped = try Gate()
        socket = try LoopbackListener(port: port, onEveryAddress: onEveryAddress)
        self.port = socket.port
    }

    func start() throws {
        try startCountedThread { listener in listener.acceptConnections() }
    }

    func stop() {
        stopped.open()
        threads.block { $0 == 0 }
        socket.descriptor.close()
    }

    private func acceptConnections() {
        var accepted = 0
        while true {
            let events = pollDescriptors([
                (socket.descriptor.number, Int16(POLLIN)), (stopped.descriptor, Int16(POLLIN)),
            ])
            guard events[1] == 0 else { return }
            guard let descriptor = socket.accept() else { continue }
            accepted += 1
            let connection = Connection(descriptor, number: accepted, listener: self)
            // Without a thread the connection is closed, and the client says so.
            try? startCountedThread { listener in
                let open = listener.connections.update { count in
                    count += 1
                    return count
                }
                listener.mostConnections.update { $0 = max($0, open) }
                connection.run()
                listener.connections.update { $0 -= 1 }
            }
        }
    }

    private func startCountedThread(_ body: @escaping @Sendable (Listener) -> Void) throws {
        threads.update { $0 += 1 }
        do {
            try startThread { [self] in
                body(self)
                threads.update { $0 -= 1 }
            }
        } catch {
            threads.update { $0 -= 1 }
            throw error
        }
    }

    // MARK: For connections

    /// Notes a request, and finds its reply.
    ///
    /// - Returns: the index of its exchange in the log, too.
    func answer(_ request: Request, on socket: ConnectedSocket) -> (exchange: Int, reply: Reply) {
        let next = routes.update { $0[request.path, default: Route()].nextReply() }
        var request = request
        request.number = next.number
        let simultaneous = answering.update { answering in
            answering[request.path, default: [:]][request.connection] = socket
            // A client that has left is seen to have done so before it comes again; the thread that serves it may be late.
            return answering[request.path, default: [:]].values.count { !$0.isLeft }
        }
        let exchange = log.update { log in
            log.append(Exchange(request: request, simultaneousRequests: simultaneous))
            return log.count - 1
        }
        return (exchange, next.make(request))
    }

    /// Notes that a request's reply is about to end.
    func isFinishing(_ request: Request) {
        answering.update { $0[request.path]?[request.connection] = nil }
    }
}
