import Platform
import Transfer

/// What a downloader lets go of when memory or the disk is short. Running downloads go on.
extension DownloaderCore {
    // MARK: Memory

    /// - Parameter source: nil where nothing tells of memory pressure.
    func watchMemory(_ source: (any MemoryPressureMonitor.Source)?) {
        guard let source else { return }
        let monitor = MemoryPressureMonitor(source) { [weak self] in
            Task { [weak self] in
                guard let relief = await self?.relieveMemory() else { return }
                self?.announce(.memoryPressure(relief))
            }
        }
        pressure.withLock { $0 = monitor }
    }

    func relieveMemory() async -> MemoryRelief {
        shared.withLock { shared in
            shared.state.compact()
            shared.mailboxes = shared.mailboxes.compacted()
        }
        let relief = await session.relieveMemory()
        await opening.run { MemoryAllocator.trim() }
        return relief
    }

    // MARK: The disk

    /// Lets paused downloads go, but none that a caller waits for. Blocks, and is not to be called where files are opened.
    func evict(
        wanted: @escaping PausedDownload.Choice,
        choose: @escaping @Sendable ([Eviction.Candidate]) -> [Eviction.Candidate]
    ) -> Result<[PausedDownload], DownloadError> {
        let outcome = Monitor<Result<[PausedDownload], DownloadError>?>(nil)
        // There nobody opens what is about to be removed.
        opening.enqueue { [self] in
            let result = Result { () throws(DownloadError) in
                try withStore { store throws(DownloadError) in
                    let active = shared.withLock { shared in shared.state.downloads.values.map(\.request) }
                    let spared = Set(active.compactMap(store.partialName))
                    return try store.evict(sparing: spared, wanted: wanted, choose: choose)
                }
            }
            outcome.change { $0 = result }
        }
        return outcome.wait { $0 }
    }
}
