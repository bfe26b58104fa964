import Platform

/// Why a configuration can't work.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting that is wrong.
    public let setting: Setting
    /// What is wrong with it, and what would be right, for people; no password is in it.
    public let message: String

    /// The settings of a session and of a downloader.
    public enum Setting: String, Hashable, Sendable {
        /// Of `SessionConfiguration`.
        case idleTimeout
        /// Of `SessionConfiguration`.
        case connectTimeout
        /// Of `SessionConfiguration`.
        case transferTimeout
        /// Of `SessionConfiguration`.
        case minimumBytesPerSecond
        /// Of `SessionConfiguration`.
        case rateLimitBytesPerSecond
        /// Of `SessionConfiguration`.
        case allowedSchemes
        /// Of `SessionConfiguration`.
        case httpVersion
        /// Of `SessionConfiguration`.
        case proxy
        /// Of `SessionConfiguration`.
        case interface
        /// Of `SessionConfiguration`.
        case caBundlePath
        /// Of `SessionConfiguration`.
        case netrcPath
        /// Of `SessionConfiguration`.
        case userAgent
        /// Of `SessionConfiguration`.
        case headers
        /// Of a downloader.
        case maximumTransfers
        /// Of a downloader.
        case maximumTransfersPerHost
        /// Of a downloader.
        case split
        /// Of a downloader.
        case retry
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
