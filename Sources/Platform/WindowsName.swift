/// What Windows makes of a path's component (Win32, “Naming Files, Paths, and Namespaces”).
package enum WindowsName {
    /// Why a component can't be a name there.
    package enum Flaw: Equatable, Sendable {
        case character(UInt8)
        /// It ends with a dot or a space.
        case end
        /// Its name before the first dot.
        case device(String)
    }

    private static let devices: Set<String> = {
        // Windows reads the superscripts of Latin-1 as digits, too.
        let numbered = "123456789¹²³".flatMap { ["com\($0)", "lpt\($0)"] }
        return Set(["con", "prn", "aux", "nul"] + numbered)
    }()

    /// The first flaw of a component; nil where it can be a name.
    package static func flaw(of component: some BidirectionalCollection<UInt8>) -> Flaw? {
        if let bad = component.first(where: isReserved) { return .character(bad) }
        if let last = component.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return .end }
        // A device's name stays one whatever follows its first dot.
        let stem = component.prefix { $0 != UInt8(ascii: ".") }
        guard (3...5).contains(stem.count) else { return nil }
        let name = String(decoding: stem, as: UTF8.self)
        return devices.contains(name.lowercased()) ? .device(name) : nil
    }

    /// Whether a name in ASCII is as long as those of devices.
    package static func isLikeDevice(bytes count: Int) -> Bool { (3...4).contains(count) }

    /// Whether a printable character stands in no name.
    package static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "|"),
            UInt8(ascii: "?"), UInt8(ascii: "*"):
            true
        default: false
        }
    }
}
