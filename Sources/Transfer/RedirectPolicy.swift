/// What becomes of a redirect (301, 302, 303, 307, 308). Whatever is allowed here, one from https to http is refused.
public enum RedirectPolicy: Hashable, Sendable {
    /// The 3xx itself is the outcome.
    case refuse
    /// Followed as long as scheme, host and port stay the same, at most `limit` times in a row.
    case sameOrigin(limit: Int)
    /// Followed at most `limit` times in a row; 0 refuses all.
    case follow(limit: Int)
}
