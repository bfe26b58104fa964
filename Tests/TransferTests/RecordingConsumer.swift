import FaultServer
import Glibc
import TestSupport

@testable import Transfer

/// Takes the reply of an exchange and keeps all of it for the test to look at.
final class RecordingConsumer: TransferConsumer {
    struct Seen: Sendable {
        var responses: [TransferResponse] = []
        var body: [UInt8] = []
        var pieceSizes: [Int] = []
        var outcomes: [TransferOutcome] = []
    }

    let seen = Watched(Seen())
    private let disposition: ResponseDisposition
    private let onPiece: @Sendable (UnsafeRawBufferPointer) throws -> Void

    init(
        _ disposition: ResponseDisposition = .receiveBody,
        onPiece: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) {
        self.disposition = disposition
        self.onPiece = onPiece
    }

    func receive(_ response: TransferResponse) -> ResponseDisposition {
        seen.update { $0.responses.append(response) }
        return disposition
    }

    func receive(_ body: UnsafeRawBufferPointer) throws {
        try onPiece(body)
        seen.update { seen in
            seen.body += body
            seen.pieceSizes.append(body.count)
        }
    }

    func finish(_ outcome: TransferOutcome) { seen.update { $0.outcomes.append(outcome) } }

    /// Waits for the end.
    func outcome() async throws -> TransferOutcome {
        try await seen.wait(for: "the end of an exchange") { $0.outcomes.first }
    }

    func waitForBytes(_ count: Int) async throws {
        try await seen.wait(for: "\(count) bytes") { $0.body.count >= count ? () : nil }
    }
}

extension TransferOutcome {
    /// The end in a few words.
    var summary: String {
        switch result {
        case .success(let response): "\(response.status)"
        case .failure(.unreachable): "unreachable"
        case .failure(.noRoute): "noRoute"
        case .failure(.insecure): "insecure"
        case .failure(.connectionLost): "connectionLost"
        case .failure(.invalidResponse): "invalidResponse"
        case .failure(.redirectRefused(let status, _)): "redirectRefused \(status)"
        case .failure(.overBudget(let limit)): "overBudget \(limit)"
        case .failure(.timedOut(let deadline, _)): "timedOut \(deadline)"
        case .failure(.cancelled): "cancelled"
        case .failure(.consumerFailed(let error)): "consumerFailed \(error)"
        case .failure(.unusableRequest): "unusableRequest"
        }
    }

    /// What a person reads of a failure; empty for a success.
    var message: String { if case .failure(let error) = result { "\(error)" } else { "" } }
}

extension Session {
    convenience init(_ change: (inout SessionConfiguration) -> Void) {
        var configuration = SessionConfiguration()
        change(&configuration)
        self.init(configuration: configuration)
    }

    /// Runs one exchange to its end.
    func get(
        _ url: String, _ consumer: RecordingConsumer = RecordingConsumer(),
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) async throws -> (outcome: TransferOutcome, seen: RecordingConsumer.Seen) {
        var request = TransferRequest(url: try TransferURL(url))
        change(&request)
        start(request, consumer: consumer)
        return (try await consumer.outcome(), consumer.seen.now)
    }
}

/// Blocks this thread until the gate opens.
func block(at gate: Gate) { _ = pollDescriptors([(gate.descriptor, Int16(POLLIN))]) }

/// How a reply says where its body ends.
enum Framing: Sendable, CaseIterable {
    case length, chunked, untilClose

    func apply(_ reply: Reply) -> Reply {
        switch self {
        case .length: reply
        case .chunked: reply.chunked()
        case .untilClose: reply.untilClose()
        }
    }
}
