import Platform

/// Lists of files that others write.
package enum ListFormat: String, CaseIterable, Sendable {
    /// Metalink 4 (RFC 5854), and its predecessor, Metalink 3.
    case metalink
    /// What aria2 reads with `--input-file`.
    case aria2
    /// A folder as RFC 8493 has it.
    case bagit
    /// A URL a line.
    case urls

    /// The format of a file, by its beginning.
    static func detected(in beginning: [UInt8]) -> ListFormat {
        guard let first = beginning.first(where: { !isBlank($0) }), first != UInt8(ascii: "<"), !isUTF16(beginning)
        else { return .metalink }
        let isAria2 = beginning.split(separator: UInt8(ascii: "\n")).contains { line in
            Aria2Option.isOption(line) || (line.first != UInt8(ascii: "#") && isSeveralURLs(line))
        }
        return isAria2 ? .aria2 : .urls
    }

    private static func isSeveralURLs(_ line: some Collection<UInt8>) -> Bool {
        line.split(separator: UInt8(ascii: "\t")).count { !$0.allSatisfy(isBlank) } > 1
    }

    private static func isUTF16(_ bytes: [UInt8]) -> Bool { wideEncoding(of: bytes) != nil }

    /// What text is in that has more than a byte for each of its characters; nil for what is in another one, or binary. Only of XML it is read.
    static func wideEncoding(of bytes: [UInt8]) -> String? {
        let beginning = Array(bytes.prefix(4))
        if beginning == [0xFF, 0xFE, 0, 0] || beginning == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
        if beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) { return "UTF-16" }
        // Without a mark: of ASCII every second byte is a NUL.
        guard beginning.count >= 2, (beginning[0] == 0) != (beginning[1] == 0) else { return nil }
        return beginning.count == 4 && beginning[2] == 0 && beginning[1] == 0 ? "UTF-32" : "UTF-16"
    }

    /// Whether a list has white space alone, and perhaps a byte order mark.
    static func isBlank(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy(isBlank) }

    /// Whether text of any encoding begins as XML does.
    static func isXML(_ beginning: [UInt8]) -> Bool {
        beginning.first { !isBlank($0) && ![0, 0xFE, 0xFF].contains($0) } == UInt8(ascii: "<")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0xEF, 0xBB, 0xBF]
            .contains(byte)
    }
}
