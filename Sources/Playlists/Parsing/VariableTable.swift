import Platform

/// The variables of a playlist (draft-pantos-hls-rfc8216bis §4.3, `EXT-X-DEFINE`).
struct VariableTable {
    private(set) var values: [String: String] = [:]

    enum Problem: Error {
        case undefined(String)
        case tooLong
    }

    /// Whether the name was free.
    mutating func define(_ name: String, as value: String) -> Bool {
        guard values[name] == nil else { return false }
        values[name] = value
        return true
    }

    /// The text with each `{$name}` replaced. What a value holds isn't looked at again.
    func substituting(in text: String, limitBytes: Int) throws(Problem) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let brace = Self.firstReference(in: rest) {
            result += rest[..<brace]
            let name = rest[(brace + 2)...].prefix(while: Self.isNameByte)
            guard !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "}") else {
                result += rest[brace..<(brace + 2)]
                rest = rest[(brace + 2)...]
                continue
            }
            let key = String(decoding: name, as: UTF8.self)
            guard let value = values[key] else { throw .undefined(key) }
            result += value.utf8
            guard result.count <= limitBytes else { throw .tooLong }
            rest = rest[(name.endIndex + 1)...]
        }
        result += rest
        guard result.count <= limitBytes else { throw .tooLong }
        return String(decoding: result, as: UTF8.self)
    }

    static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isNameByte) }

    private static func firstReference(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { index in
            text[index] == UInt8(ascii: "{") && index + 1 < text.endIndex && text[index + 1] == UInt8(ascii: "$")
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    /// The value of a parameter in a URL's query, percent-decoded; nil when it has none that could stand in a playlist.
    static func queryParameter(_ name: String, of url: String) -> String? {
        for pair in (URLParts(url).query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, percentDecoded(parts[0].utf8) == Array(name.utf8) else { continue }
            let value = percentDecoded(parts[1].utf8)
            guard !value.isEmpty, !value.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") }) else { return nil }
            return String(validating: value, as: UTF8.self)
        }
        return nil
    }
}
