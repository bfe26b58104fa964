import Archives
import Platform

/// The lines of `larder unpack --list`.
enum ArchiveListText {
    static let head = line(
        size: "size", packed: "packed", method: "method", crc: "crc-32", time: "modified", name: "name")

    static func line(_ entry: ListedEntry) -> String {
        line(
            size: "\(entry.sizeBytes)", packed: entry.packedBytes.map { "\($0)" } ?? "-", method: entry.method ?? "-",
            crc: entry.crc32.map(hexadecimal) ?? "-",
            time: entry.modifiedSeconds.map { Timestamp(seconds: $0).rfc3339 } ?? "-", name: name(of: entry))
    }

    /// `3 entries; 2 files, 73.2 MB`, and how many names keep it from being unpacked.
    static func total(entries: Int, files: Int, bytes: Int64, unsafe: Int) -> String {
        var parts = [
            HumanQuantity.count(entries, "entry", "entries"),
            HumanQuantity.count(files, "file", "files") + ", " + HumanQuantity.bytes(bytes),
        ]
        if unsafe > 0 { parts.append(HumanQuantity.count(unsafe, "unsafe name", "unsafe names") + ": it is refused") }
        return parts.joined(separator: "; ") + "\n"
    }

    private static func name(of entry: ListedEntry) -> String {
        var name = escapedText(entry.name)
        switch entry.kind {
        case .file: break
        case .directory: if !name.hasSuffix("/") { name += "/" }
        case .symbolicLink: name += entry.linkTarget.map { " -> " + escapedText($0) } ?? " (link)"
        case .hardLink: name += entry.linkTarget.map { " = " + escapedText($0) } ?? ""
        case .other: name += " (special)"
        }
        return name + (entry.problem.map { " (unsafe: \($0))" } ?? "")
    }

    private static func line(
        size: String, packed: String, method: String, crc: String, time: String, name: String
    ) -> String {
        [padded(size, -12), padded(packed, -12), padded(method, 9), padded(crc, 8), padded(time, 20), name]
            .joined(separator: "  ") + "\n"
    }

    /// To the left of a column of so many characters; to the right of one whose width is negative.
    private static func padded(_ text: String, _ width: Int) -> String {
        let space = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? space + text : text + space
    }

    private static func hexadecimal(_ crc: UInt32) -> String {
        let digits = String(crc, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
