/// How often, and after what delays, a failed source is asked again.
public struct RetryPolicy: Hashable, Sendable {
    /// Tries after the first, counted anew whenever bytes arrived: 5.
    public var retries = 5
    /// The longest delay before the first retry; it doubles with each further one. 0.5 s.
    public var baseDelay: Duration = .milliseconds(500)
    /// No delay of our own choosing is longer: 30 s.
    public var maximumDelay: Duration = .seconds(30)
    /// A server's `Retry-After` is honoured up to this: 5 min.
    public var maximumRetryAfter: Duration = .seconds(300)

    /// The defaults.
    public init() {}

    /// The delay before retry number `retry` (from 0): exponential, with full jitter, so that a fleet doesn't come back as one.
    func delay(
        retry: Int, retryAfter: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        if let retryAfter { return min(max(.zero, retryAfter), maximumRetryAfter) }
        let factor = 1 << min(max(0, retry), 20)
        // Before it is multiplied, which a long one wouldn't survive.
        let longest = baseDelay > maximumDelay / factor ? maximumDelay : baseDelay * factor
        return longest * Double.random(in: 0.5...1, using: &generator)
    }
}
