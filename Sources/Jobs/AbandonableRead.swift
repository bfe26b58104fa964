import Platform

/// Runs `body`, which may block for ever (a terminal, a pipe) or for long, on a thread of its own. A cancelled task leaves it there and goes on.
/// Where the system refuses a thread, this one waits for it.
/// - Throws: what `body` throws; `CancellationError`.
func readAbandonably<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    let answer = Answer<Success>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            answer.expect(continuation)
            let run = { @Sendable in answer.give(Result(catching: body)) }
            do throws(SystemError) { _ = try WorkerThread(ifGranted: "larder-read", run) } catch { run() }
        }
    } onCancel: {
        answer.give(.failure(CancellationError()))
    }
}

/// The first result counts, be it before or after somebody waits for it.
private final class Answer<Success: Sendable>: Sendable {
    private enum State {
        case nobody
        case waiting(CheckedContinuation<Success, any Error>)
        case given(Result<Success, any Error>)
        case taken
    }

    private let state = Locked(State.nobody)

    func expect(_ continuation: CheckedContinuation<Success, any Error>) {
        let early = state.withLock { state -> Result<Success, any Error>? in
            guard case .given(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .taken
            return result
        }
        if let early { continuation.resume(with: early) }
    }

    func give(_ result: Result<Success, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Success, any Error>? in
            switch state {
            case .nobody:
                state = .given(result)
                return nil
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .given, .taken: return nil
            }
        }
        continuation?.resume(with: result)
    }
}
