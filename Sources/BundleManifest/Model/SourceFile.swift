import Platform

/// One sequence of bytes and where to get it.
package struct SourceFile: Sendable, Equatable {
    /// At least one; all give the same bytes, in order of preference.
    package let urls: [URLReference]
    package let sizeBytes: Int?
    package let digest: SHA256Digest?

    package init(urls: [URLReference], sizeBytes: Int?, digest: SHA256Digest?) {
        (self.urls, self.sizeBytes, self.digest) = (urls, sizeBytes, digest)
    }
}
