import Diagnostics
@_spi(_Unicode) import Swift

/// What other systems think of a path that Linux takes.
enum PortableNames {
    static let largestFATFileBytes = 1 << 32 - 1

    private static let devices: Set<String> = {
        let numbered = (1...9).flatMap { ["com\($0)", "lpt\($0)"] }
        return Set(["con", "prn", "aux", "nul"] + numbered)
    }()

    /// The path in Unicode's Normalization Form C.
    static func composed(_ path: String) -> String { String(String.UnicodeScalarView(path._nfc)) }

    static func problems(of path: String) -> [Problem] {
        var problems: [Problem] = []
        // ASCII is composed.
        if !path.utf8.allSatisfy({ $0 < 0x80 }), !path.unicodeScalars.elementsEqual(path._nfc) {
            problems.append(
                Problem(
                    .notComposed, "the path \(path.quotedForMessage()) is not in Unicode's composed form",
                    hint: "write it in NFC"))
        }
        // Every bundle's id is looked at, and none has folders.
        let components = path.utf8.contains(UInt8(ascii: "/")) ? path.split(separator: "/") : [path[...]]
        if let why = components.lazy.compactMap(refusal).first {
            problems.append(Problem(.notPortable, "Windows has no file \(path.quotedForMessage()): \(why)"))
        }
        return problems
    }

    /// Why Windows refuses a component (Win32, “Naming Files, Paths, and Namespaces”).
    private static func refusal(_ component: Substring) -> String? {
        if let bad = component.utf8.first(where: isRefused) {
            return "it has \(String(Unicode.Scalar(bad)).quotedForMessage()) in it"
        }
        if let last = component.utf8.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
            return "a name ends with a dot or a space"
        }
        // The longest has four letters, and what follows a dot doesn't count.
        let stem = component.prefix { $0 != "." }
        guard stem.utf8.count <= 4, stem.utf8.count >= 3, devices.contains(stem.lowercased()) else { return nil }
        return "\(String(stem).quotedForMessage()) is a device"
    }

    private static func isRefused(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "|"),
            UInt8(ascii: "?"), UInt8(ascii: "*"):
            true
        default: false
        }
    }
}
