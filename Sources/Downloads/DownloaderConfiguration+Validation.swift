import Transfer

extension DownloaderConfiguration {
    /// Tells whether a downloader of this configuration can work, as far as this machine alone can tell. Reads the files it names.
    /// - Throws: `ConfigurationError` for the first setting that is wrong.
    public func validate() throws(ConfigurationError) {
        try ConfigurationError.check(.maximumTransfers, isPositive: Int64(maximumTransfers))
        try ConfigurationError.check(.maximumTransfersPerHost, isPositive: Int64(maximumTransfersPerHost))
        try ConfigurationError.check(.split, isPositive: split.maximumConnections.map(Int64.init))
        let delays = [retry.baseDelay, retry.maximumDelay, retry.maximumRetryAfter]
        guard retry.retries >= 0, delays.allSatisfy({ $0 >= .zero }) else {
            throw ConfigurationError(.retry, "neither its number nor its delays can be below 0")
        }
        try session.validate()
    }
}
