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

    /// Only XML comes in it.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.prefix(4).contains(0)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0xEF, 0xBB, 0xBF]
            .contains(byte)
    }
}
