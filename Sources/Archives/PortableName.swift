/// What keeps a path component from being used on every common file system.
enum PortableName {
    /// Why `component`, which is safe on Linux, can't be used on Windows; nil when it can.
    static func problem(of component: ArraySlice<UInt8>) -> String? {
        if String(validating: component, as: UTF8.self) == nil { return "the name is not UTF-8" }
        if component.contains(where: { $0 < 0x20 || forbidden.contains($0) }) {
            return "the name contains a character that is reserved on other systems"
        }
        if let last = component.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
            return "the name ends in a dot or space"
        }
        // A device name stays one whatever follows its first dot.
        let stem = component.prefix { $0 != UInt8(ascii: ".") }
        if devices.contains(String(decoding: stem, as: UTF8.self).uppercased()) {
            return "the name is that of a device on other systems"
        }
        return nil
    }

    private static let forbidden = Set("<>:\"|?*".utf8)
    private static let devices = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })
}
