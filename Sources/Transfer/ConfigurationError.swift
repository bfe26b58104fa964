import Platform

/// Why a configuration can't work.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting that is wrong.
    public let setting: Setting
    /// What is wrong with it, and what would be right, for people; no password is in it.
    public let message: String

    /// The settings of a session and of a downloader.
    public enum Setting: String, Hashable, Sendable {
        case idleTimeout, connectTimeout, transferTimeout, minimumBytesPerSecond, rateLimitBytesPerSecond
        case allowedSchemes, httpVersion, proxy, interface, caBundlePath, netrcPath, userAgent
        case maximumTransfers, maximumTransfersPerHost, split, retry
    }

    package init(_ setting: Setting, _ message: String) {
        self.setting = setting
        self.message = message
    }

    /// The setting and what is wrong with it, in one line.
    public var description: String { "\(setting.rawValue): \(message)" }

    /// Refuses a bound that nothing could keep to.
    package static func check(_ setting: Setting, isPositive value: Int64?) throws(ConfigurationError) {
        if let value, value < 1 { throw ConfigurationError(setting, "\(value) is none: it must be at least 1") }
    }

    /// Refuses a deadline that has passed before anything begins.
    package static func check(_ setting: Setting, isPositive value: Duration?) throws(ConfigurationError) {
        if let value, value <= .zero {
            throw ConfigurationError(setting, "\(value) is none: it must be longer than 0 s")
        }
    }
}
