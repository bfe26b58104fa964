/// The name of a manifest or a bundle: `[a-z0-9][a-z0-9._-]{0,63}`. Safe as a file name.
package struct BundleID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), let first = bytes.first,
            !"._-".utf8.contains(first)
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "._-".utf8.contains(byte)
        }
    }
}
