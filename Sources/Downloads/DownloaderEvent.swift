import Transfer

/// What concerns a downloader as a whole.
public enum DownloaderEvent: Hashable, Sendable {
    /// Connections are built anew, in a new session; every transfer goes on in it.
    case sessionRebuilt(RebuildReason)
    /// The first of some downloads waits for a network that leads to its sources: none is there, by what `Downloader.setNetwork` was told.
    case waitingForNetwork
    /// Memory is short: what was held for speed alone was let go.
    case memoryPressure(MemoryRelief)
}

/// Why connections are built anew.
public enum RebuildReason: String, Hashable, Sendable {
    /// Another configuration can't be taken by the session that is there.
    case configuration
    /// So it is, and the configuration changed by the clock.
    case schedule
    /// The machine slept, and servers have given its connections up.
    case resumedFromSleep = "resumed from sleep"
    /// The machine reaches other networks in another way now.
    case routeChanged = "route changed"
}
