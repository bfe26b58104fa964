import Platform

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Reads an IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), the only form that is still generated; the two obsolete ones give nil, which
    /// costs a resume by date and nothing else.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[0].hasSuffix(",") else { return nil }
        guard let month = months.firstIndex(of: String(words[2])) else { return nil }
        let padded = String(month + 1 + 100).dropFirst()
        let timestamp = Timestamp(rfc3339: "\(words[3])-\(padded)-\(words[1])T\(words[4])Z")
        return timestamp?.seconds
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
