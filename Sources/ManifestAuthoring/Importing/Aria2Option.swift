/// An option of an entry: `  out=film.mp4`.
struct Aria2Option {
    let name: String
    let value: String

    init?(_ line: String) {
        guard Self.isOption(line.utf8), let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return nil
        }
        name = String(line[..<equals]).trimmed
        value = String(line[line.utf8.index(after: equals)...]).trimmed
    }

    /// Whether a line begins with white space, and then has a name as options have it and `=`: no URL does.
    static func isOption(_ line: some Collection<UInt8>) -> Bool {
        guard let first = line.first, isBlank(first) else { return false }
        let rest = line.drop(while: isBlank)
        let name = rest.prefix {
            $0 &- UInt8(ascii: "a") < 26 || $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-")
        }
        return !name.isEmpty && rest.dropFirst(name.count).first == UInt8(ascii: "=")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
