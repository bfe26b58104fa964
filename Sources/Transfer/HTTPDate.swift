import Platform

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Reads an IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), the only form that is still generated; the two obsolete ones give nil, which
    /// costs a resume by date and nothing else.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public static func seconds(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { seconds($0) }
    }

    private static func seconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        // Every part of it has its own place, and its own length.
        guard bytes.count == 29, bytes[3..<5].elementsEqual(", ".utf8), bytes[7] == blank, bytes[11] == blank,
            bytes[16] == blank, bytes[25...].elementsEqual(" GMT".utf8),
            bytes[19] == colon, bytes[22] == colon,
            let month = months.firstIndex(where: { $0.elementsEqual(bytes[8..<11]) }),
            let day = number(bytes[5..<7]), let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
            let minute = number(bytes[20..<22]), let second = number(bytes[23..<25])
        else { return nil }
        return Timestamp(year, month + 1, day, hour, minute, second)?.seconds
    }

    /// Four digits at most.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static let blank = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map(\.utf8)
}
