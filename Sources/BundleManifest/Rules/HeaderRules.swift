import Diagnostics
import Platform

/// Which extra request headers a manifest may ask for (RFC 9110, section 5).
enum HeaderRules {
    static func check(name: String) throws(Problem) {
        guard FieldName.isToken(name) else {
            throw Problem(.badHeaderName, "\(name.quotedForMessage()) can't be the name of a header")
        }
        guard !FieldName.reserved.contains(name.lowercased()) else {
            throw Problem(.reservedHeader, "the header \(name) is set by Larder alone", hint: "leave it out")
        }
    }

    static func check(value: String) throws(Problem) {
        guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
            throw Problem(.badHeaderValue, "a header's value can't have control characters in it")
        }
    }

    static func isSecret(_ name: String) -> Bool { SecretNames.headers.contains(name.lowercased()) }
}
