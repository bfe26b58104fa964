/// Cuts a text into lines: each ends with LF or CRLF, the last one with the text.
struct PlaylistLines {
    private let text: PlaylistBytes
    /// Where the next line begins.
    private(set) var position: Int

    init(_ text: PlaylistBytes, from position: Int) {
        self.text = text
        self.position = position
    }

    /// The next line without its end.
    mutating func next() -> Range<Int>? {
        let start = position
        let count = text.bytes.count
        guard start < count else { return nil }
        let feed = text.first(UInt8(ascii: "\n"), in: start..<count)
        position = feed.map { $0 + 1 } ?? count
        var end = feed ?? count
        if end > start, text.bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }
}
