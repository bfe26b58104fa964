/// Finds the line and column of a byte offset. Built in one pass over the text, so make one per text and keep it.
///
/// A line ends with LF; the CR of a CRLF belongs to the line end. Columns count Unicode scalars and start at 1. Both lookups are fast in
/// a text that is one line of a hundred megabytes too: scalars are counted from the nearest block, not from the start of the line.
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
    private var lineStarts = [0]
    /// How many scalars begin before each block of `blockBytes`.
    private var scalarsBeforeBlock: [Int] = []
    private static let blockBytes = 4096

    package init(_ source: SourceText) {
        self.source = source
        let bytes = source.bytes
        scalarsBeforeBlock.reserveCapacity(bytes.count / Self.blockBytes + 1)
        var scalars = 0
        for (offset, byte) in bytes.enumerated() {
            if offset % Self.blockBytes == 0 { scalarsBeforeBlock.append(scalars) }
            if Self.beginsScalar(byte) { scalars += 1 }
            if byte == UInt8(ascii: "\n") { lineStarts.append(offset + 1) }
        }
    }

    /// The place of a byte. An offset past the end stands for the end.
    package func position(of offset: Int) -> Position {
        let offset = clamped(offset)
        let line = lineNumber(of: offset)
        return Position(line: line, column: scalars(before: offset) - scalars(before: lineStarts[line - 1]) + 1)
    }

    /// The bytes of the line that holds an offset, without its line end.
    package func lineRange(around offset: Int) -> Range<Int> {
        let line = lineNumber(of: clamped(offset))
        let start = lineStarts[line - 1]
        guard line < lineStarts.count else { return start..<source.bytes.count }
        var end = lineStarts[line] - 1
        if end > start, source.bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    private func clamped(_ offset: Int) -> Int { min(max(offset, 0), source.bytes.count) }

    /// The number of the last line that starts at or before `offset`.
    private func lineNumber(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func scalars(before offset: Int) -> Int {
        guard !scalarsBeforeBlock.isEmpty else { return 0 }
        let block = min(offset / Self.blockBytes, scalarsBeforeBlock.count - 1)
        let rest = source.bytes[(block * Self.blockBytes)..<offset]
        return scalarsBeforeBlock[block] + rest.count(where: Self.beginsScalar)
    }

    static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0b1100_0000 != 0b1000_0000 }
}
