import Transfer

/// What concerns all downloads at once, and who waits until it is carried out.
extension DownloaderCore {
    func reconfigure(
        _ configuration: DownloaderConfiguration, because reason: RebuildReason
    ) async throws(ConfigurationError) {
        try await opening.attempt { [self] () throws(ConfigurationError) in
            try configuration.validate()
            decide { $0.state.reconfigure(configuration, because: reason) }
        }
        await wait { !$0.session.isClosing }
    }

    func reconnect(because reason: RebuildReason) async {
        decide { $0.state.reconnect(because: reason) }
        await wait { !$0.session.isClosing }
    }

    func setNetwork(isUsable: Bool) { decide { $0.state.setNetwork(isUsable: isUsable) } }

    func shutDown() async {
        pressure.withLock { $0 = nil }
        decide { $0.state.shutDown() }
        await wait { $0.downloadCount == 0 && $0.session == .gone }
    }

    /// Waits until the state is as wanted, and all that was decided by then is carried out.
    private func wait(until isOver: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            shared.withLock { $0.waiting.append((isOver, continuation)) }
            tellWaiting()
        }
    }

    /// Lets those go on who waited for what is the case by now.
    func tellWaiting() {
        let told = shared.withLock { shared -> [CheckedContinuation<Void, Never>] in
            guard !shared.waiting.isEmpty, shared.outbox.isEmpty, !shared.isDelivering else { return [] }
            let told = shared.waiting.filter { $0.isOver(shared.state) }
            shared.waiting.removeAll { $0.isOver(shared.state) }
            return told.map(\.continuation)
        }
        for continuation in told { continuation.resume() }
    }
}
