import Transfer

/// How much asking all sources may cost.
package struct OnlineLimits: Sendable {
    /// Exchanges at once; 8.
    package var exchanges = 8
    /// Of these with one origin; 6.
    package var exchangesPerOrigin = 6
    /// How long one exchange may take, redirects included, whatever the session allows; 30 s.
    package var exchangeTimeout: Duration = .seconds(30)
    /// How long a server may be silent, whatever the session allows; 15 s.
    package var idleTimeout: Duration = .seconds(15)
    /// After so many sources in a row that weren't answered an origin is asked no more; 3.
    package var patience = 3
    /// Sources that are listed, asked and judged before the next are; 4,096.
    package var sourcesAtOnce = 4096
    /// Bytes of one playlist; 16 MiB, which is a hundred thousand segments.
    package var playlistBytes = 16 << 20
    /// Playlists of one presentation; 64.
    package var playlists = 64
    /// Segments of one presentation, in all its playlists together; 1,000,000.
    package var segments = 1_000_000
    /// How long sources are asked in all; 10 min, and at most a day.
    package var deadline: Duration = .seconds(600)

    package init() {}

    /// A session's configuration within these limits.
    func bounding(_ configuration: SessionConfiguration) -> SessionConfiguration {
        var bounded = configuration
        bounded.transferTimeout = min(configuration.transferTimeout ?? exchangeTimeout, exchangeTimeout)
        bounded.idleTimeout = min(configuration.idleTimeout, idleTimeout)
        bounded.connectTimeout = min(configuration.connectTimeout, idleTimeout)
        return bounded
    }
}
