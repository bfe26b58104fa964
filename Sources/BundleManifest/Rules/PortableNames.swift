import Diagnostics
import Platform
@_spi(_Unicode) import Swift

/// What other systems think of a path that Linux takes.
package enum PortableNames {
    static let largestFATFileBytes = 1 << 32 - 1

    /// The path in Unicode's Normalization Form C.
    package static func composed(_ path: String) -> String { String(String.UnicodeScalarView(path._nfc)) }

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
        if let why = path.utf8.split(separator: UInt8(ascii: "/")).lazy.compactMap(refusal).first {
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
                if let stemBytes, WindowsName.isLikeDevice(bytes: stemBytes) { return true }
                if byte == UInt8(ascii: "/"), last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return true }
                stemBytes = byte == UInt8(ascii: "/") ? 0 : nil
            case _ where byte >= 0x80 || WindowsName.isReserved(byte): return true
            default: stemBytes = stemBytes.map { $0 + 1 }
            }
            last = byte
        }
        return last == UInt8(ascii: ".") || last == UInt8(ascii: " ") || stemBytes.map(WindowsName.isLikeDevice) == true
    }

    /// Why Windows refuses a component.
    private static func refusal(_ component: Substring.UTF8View) -> String? {
        switch WindowsName.flaw(of: component) {
        case .character(let bad): "it has \(String(Unicode.Scalar(bad)).quotedForMessage()) in it"
        case .end: "a name ends with a dot or a space"
        case .device(let name): "\(name.quotedForMessage()) is a device"
        case nil: nil
        }
    }
}
