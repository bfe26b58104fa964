import TestSupport

/// Endless bytes that depend on nothing but the seed and the offset: pages of the same random bytes, each of which begins
/// with eight bytes of its own. Fast enough to serve gigabytes from a debug build.
struct PatternContent: Sendable {
    private static let pageBytes = 4096

    private let seed: UInt64
    private let page: [UInt8]

    init(seed: UInt64) {
        self.seed = seed
        page = deterministicBytes(Self.pageBytes, seed: seed)
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, at start: UInt64) {
        var filled = 0
        while filled < buffer.count {
            let (number, offset) = (start + UInt64(filled)).quotientAndRemainder(dividingBy: UInt64(Self.pageBytes))
            let inPage = Int(offset)
            let count = min(Self.pageBytes - inPage, buffer.count - filled)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
            part.copyBytes(from: page[inPage..<inPage + count])
            stamp(part, inPage: inPage, page: number)
            filled += count
        }
    }

    /// Writes as much of a page's own first eight bytes as a part of that page covers.
    private func stamp(_ part: UnsafeMutableRawBufferPointer, inPage: Int, page: UInt64) {
        guard inPage < 8 else { return }
        var generator = SplitMix64(seed: seed ^ page)
        withUnsafeBytes(of: generator.next().littleEndian) { word in
            part.copyBytes(from: word[inPage..<min(8, inPage + part.count)])
        }
    }
}
