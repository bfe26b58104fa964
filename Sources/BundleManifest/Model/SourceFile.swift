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

/// A file of a `files` bundle.
package struct FileEntry: Sendable, Equatable {
    /// Where it stands in the bundle: relative, with neither `.` nor `..`.
    package let path: String
    package let source: SourceFile
}

/// A segment of a `segments` bundle.
package struct SegmentEntry: Sendable, Equatable {
    package let path: String
    package let source: SourceFile
    package let duration: Duration?
}

/// The segments of a bundle in playing order.
package struct SegmentList: Sendable, Equatable {
    /// At least one.
    package let segments: [SegmentEntry]
    package let join: JoinedFile?

    /// How long all of them play; nil where one doesn't tell.
    package var duration: Duration? {
        segments.reduce(Duration.zero) { sum, segment in
            guard let sum, let duration = segment.duration else { return nil }
            return sum + duration
        }
    }
}

/// The one file that a bundle's segments make.
package struct JoinedFile: Sendable, Equatable {
    package let filename: String
    package let digest: SHA256Digest?
}
