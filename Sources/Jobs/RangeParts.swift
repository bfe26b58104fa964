import Playlists

/// Which parts of a file are asked for when ranges of it are wanted.
struct RangeParts {
    struct Part: Equatable {
        let range: ByteRange
        /// The wanted ranges in it, by their numbers.
        let members: [Int]
    }

    /// In the order in which they stand in the file.
    let parts: [Part]
    /// Whether ranges overlap no more than makes the file twice as long: else a small file could make a disk full.
    let isReasonable: Bool

    /// What is fetched at once, unless a single range is longer. Where ranges overlap across this bound, the bytes that they have in common are
    /// fetched twice.
    static let longestBytes: Int64 = 64 << 20
    /// What nobody wants is fetched all the same where it is less than a request costs.
    static let smallGapBytes: Int64 = 64 << 10

    init(_ ranges: [ByteRange]) {
        var parts: [Part] = []
        var (wantedBytes, coveredBytes, coveredEnd): (Int64, Int64, Int64) = (0, 0, 0)
        var current: (start: Int64, end: Int64, members: [Int])?
        func close() {
            guard let last = current, let range = ByteRange(offset: last.start, lengthBytes: last.end - last.start)
            else { return }
            parts.append(Part(range: range, members: last.members))
        }
        for (number, range) in ranges.enumerated().sorted(by: {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }) {
            wantedBytes.addClamped(range.lengthBytes)
            coveredBytes += max(0, range.end - max(range.offset, coveredEnd))
            coveredEnd = max(coveredEnd, range.end)
            if let last = current,
                range.end <= last.end
                    || (range.offset - last.end <= Self.smallGapBytes && range.end - last.start <= Self.longestBytes)
            {
                current?.end = max(last.end, range.end)
                current?.members.append(number)
            } else {
                close()
                current = (range.offset, range.end, [number])
            }
        }
        close()
        self.parts = parts
        isReasonable = wantedBytes / 2 <= coveredBytes
    }
}
