/// A sub-range of a resource (RFC 8216 §4.3.2.2). It is never empty, and its end is at most 2^63 - 1.
package struct ByteRange: Hashable, Sendable {
    /// Of the first byte.
    package let offset: Int64
    package let lengthBytes: Int64

    /// Nil for an empty range, and for one that ends where no file can.
    package init?(offset: Int64, lengthBytes: Int64) {
        guard offset >= 0, lengthBytes > 0, !offset.addingReportingOverflow(lengthBytes).overflow else { return nil }
        self.offset = offset
        self.lengthBytes = lengthBytes
    }

    /// One past the last byte. The initializer saw that it fits.
    package var end: Int64 { offset &+ lengthBytes }
}
