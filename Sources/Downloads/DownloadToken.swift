/// One caller's interest in an asset; not a transfer: two callers of one URL hold two tokens.
public struct DownloadToken: Hashable, Sendable {
    let number: UInt64
}
