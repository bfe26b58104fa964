import Platform
import Transfer

extension TransferResponse {
    /// The file name the server suggests in `Content-Disposition` (RFC 6266): `filename*` (RFC 8187, UTF-8) wins over `filename`. Only a last
    /// component that is safe anywhere comes out; nil when there is none.
    var suggestedName: String? {
        guard let field = headers["Content-Disposition"] else { return nil }
        let parameters = dispositionParameters(field)
        if let extended = parameters["filename*"].flatMap(decodedExtendedValue), let name = safeFileName(extended) {
            return name
        }
        return parameters["filename"].flatMap(safeFileName)
    }
}

/// Reduces a name from outside to a safe last component: nothing of a path, no characters that control a terminal or the direction of text, no
/// leading dot, at most 255 bytes.
package func safeFileName(_ name: String) -> String? {
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    var safe = String(String.UnicodeScalarView(last.unicodeScalars.filter { !$0.isUnsafeInMessages }))
    safe.removeSubrange(..<(safe.firstIndex { $0 != "." && $0 != " " } ?? safe.endIndex))
    var countBytes = 0
    let end = safe.firstIndex { character in
        countBytes += character.utf8.count
        return countBytes > 255
    }
    safe.removeSubrange((end ?? safe.endIndex)...)
    return safe.isEmpty ? nil : safe
}

/// The parameters behind the disposition type, names in lower case, quotes and escapes resolved.
private func dispositionParameters(_ field: String) -> [String: String] {
    var result: [String: String] = [:]
    var rest = Substring(field)
    guard let semicolon = rest.firstIndex(of: ";") else { return [:] }
    rest = rest[semicolon...]
    while rest.popFirst() == ";" {
        guard let equals = rest.firstIndex(of: "=") else { break }
        let name = rest[..<equals].filter { $0 != " " && $0 != "\t" }.lowercased()
        rest = rest[rest.index(after: equals)...].drop { $0 == " " }
        var value = ""
        if rest.first == "\"" {
            rest.removeFirst()
            while let character = rest.popFirst(), character != "\"" {
                if character == "\\", let escaped = rest.popFirst() {
                    value.append(escaped)
                } else {
                    value.append(character)
                }
            }
            rest = rest.drop { $0 != ";" }
        } else {
            value = String(rest.prefix { $0 != ";" })
            rest = rest.drop { $0 != ";" }
            while value.hasSuffix(" ") { value.removeLast() }
        }
        if result[name] == nil { result[name] = value }
    }
    return result
}

/// `UTF-8''percent-encoded` (RFC 8187 §3.2.1); nil for other character sets and for bytes that are no UTF-8.
private func decodedExtendedValue(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return String(validating: percentDecoded(parts[2].utf8), as: UTF8.self)
}
