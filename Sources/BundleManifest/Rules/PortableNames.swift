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
        guard path.utf8.withContiguousStorageIfAvailable(mayHaveProblems) ?? true else { return [] }
        var problems: [Problem] = []
        // ASCII is composed.
        if !path.utf8.allSatisfy({ $0 < 0x80 }), !path.unicodeScalars.elementsEqual(path._nfc) {
            problems.append(
                Problem(
                    .notComposed, "the path \(path.quotedForMessage()) is not in Unicode's composed form",
                    hint: "write it in NFC"))
        }
        if let why = path.split(separator: "/").lazy.compactMap(refusal).first {
            problems.append(Problem(.notPortable, "Windows has no file \(path.quotedForMessage()): \(why)"))
        }
        return problems
    }

    /// One look at each byte, which is enough for nearly all paths.
    private static func mayHaveProblems(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        var last = UInt8(ascii: "/")
        // Bytes of a component before its first dot; nil behind that.
        var stemBytes: Int? = 0
        for byte in path {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."):
                if let stemBytes, isLikeDevice(stemBytes) { return true }
                if byte == UInt8(ascii: "/"), last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return true }
                stemBytes = byte == UInt8(ascii: "/") ? 0 : nil
            case _ where byte >= 0x80 || isRefused(byte): return true
            default: stemBytes = stemBytes.map { $0 + 1 }
            }
            last = byte
        }
        return last == UInt8(ascii: ".") || last == UInt8(ascii: " ") || stemBytes.map(isLikeDevice) == true
    }

    /// Whether a name is as long as those of devices.
    private static func isLikeDevice(_ stemBytes: Int) -> Bool { (3...4).contains(stemBytes) }

    /// Why Windows refuses a component (Win32, “Naming Files, Paths, and Namespaces”).
    private static func refusal(_ component: Substring) -> String? {
        if let bad = component.utf8.first(where: isRefused) {
            return "it has \(String(Unicode.Scalar(bad)).quotedForMessage()) in it"
        }
        if let last = component.utf8.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
            return "a name ends with a dot or a space"
        }
        // The longest has four letters, and what follows a dot doesn't count.
        let stem = component[..<(component.utf8.firstIndex(of: UInt8(ascii: ".")) ?? component.endIndex)]
        guard isLikeDevice(stem.utf8.count), devices.contains(stem.lowercased()) else { return nil }
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
