import Platform

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Reads an IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), the only form that is still generated; the two obsolete ones give nil, which
    /// costs a resume by date and nothing else.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        // Every part of it has its own place, and its own length.
        guard bytes.count == 29, bytes[3..<5].elementsEqual(", ".utf8), bytes[7] == blank, bytes[11] == blank,
            bytes[16] == blank, bytes[25...].elementsEqual(" GMT".utf8),
            let month = months.firstIndex(of: Array(bytes[8..<11]))
        else { return nil }
        let text = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
        let number = String(month + 1 + 100).dropFirst()
        return Timestamp(rfc3339: "\(text(12..<16))-\(number)-\(text(5..<7))T\(text(17..<25))Z")?.seconds
    }

    private static let blank = UInt8(ascii: " ")
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }
}
