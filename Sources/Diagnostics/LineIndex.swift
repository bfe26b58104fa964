/// Finds the line and column of a byte offset. Built in one pass over the text, so make one per text and keep it.
///
/// A line ends with LF; the CR of a CRLF belongs to the line end. Columns count Unicode scalars and start at 1. Both lookups are fast in
/// a text that is one line of a hundred megabytes, or a hundred million lines: both are counted from the nearest block.
package struct LineIndex: Sendable {
    /// A line and a column, both counted from 1.
    package struct Position: Sendable, Hashable {
        package let line: Int
        package let column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    package let source: SourceText
    /// What comes before each block of `blockBytes`.
    private var blocks: [Counts] = []
    private static let blockBytes = 4096

    private struct Counts {
        /// Scalars that begin.
        var scalars = 0
        /// Line feeds.
        var lineFeeds = 0

        mutating func count(_ byte: UInt8) {
            if LineIndex.beginsScalar(byte) { scalars += 1 }
            if byte == UInt8(ascii: "\n") { lineFeeds += 1 }
        }
    }

    package init(_ source: SourceText) {
        self.source = source
        let bytes = source.bytes
        blocks.reserveCapacity(bytes.count / Self.blockBytes + 1)
        var counts = Counts()
        for (offset, byte) in bytes.enumerated() {
            if offset % Self.blockBytes == 0 { blocks.append(counts) }
            counts.count(byte)
        }
    }

    /// The place of a byte. An offset past the end stands for the end.
    package func position(of offset: Int) -> Position {
        let offset = clamped(offset)
        let counts = counts(before: offset)
        let start = lineStart(before: offset, behind: counts.lineFeeds)
        return Position(line: counts.lineFeeds + 1, column: counts.scalars - self.counts(before: start).scalars + 1)
    }

    /// The bytes of the line that holds an offset, without its line end.
    package func lineRange(around offset: Int) -> Range<Int> {
        let offset = clamped(offset)
        let lineFeeds = counts(before: offset).lineFeeds
        let start = lineStart(before: offset, behind: lineFeeds)
        guard var end = nextLineFeed(from: offset, behind: lineFeeds) else { return start..<source.bytes.count }
        if end > start, source.bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    private func clamped(_ offset: Int) -> Int { min(max(offset, 0), source.bytes.count) }

    private func counts(before offset: Int) -> Counts {
        guard !blocks.isEmpty else { return Counts() }
        let block = min(offset / Self.blockBytes, blocks.count - 1)
        var counts = blocks[block]
        for byte in source.bytes[(block * Self.blockBytes)..<offset] { counts.count(byte) }
        return counts
    }

    /// Behind the last of so many line feeds, which come before `offset`.
    private func lineStart(before offset: Int, behind lineFeeds: Int) -> Int {
        guard lineFeeds > 0 else { return 0 }
        let start = (firstBlock(behind: lineFeeds - 1) - 1) * Self.blockBytes
        let end = min(start + Self.blockBytes, offset)
        return source.bytes[start..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }

    /// The line feed that ends the line of `offset`; nil in the last line.
    private func nextLineFeed(from offset: Int, behind lineFeeds: Int) -> Int? {
        guard !blocks.isEmpty else { return nil }
        let start = max((firstBlock(behind: lineFeeds) - 1) * Self.blockBytes, offset)
        return source.bytes[start...].prefix(Self.blockBytes).firstIndex(of: UInt8(ascii: "\n"))
    }

    /// The first block that more than `lineFeeds` line feeds come before; behind the last block where there is none.
    private func firstBlock(behind lineFeeds: Int) -> Int {
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].lineFeeds <= lineFeeds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0b1100_0000 != 0b1000_0000 }
}
