import Platform

/// What keeps a path component from being used on every common file system.
enum PortableName {
    /// Why `component`, which is safe on Linux, can't be used on Windows; nil when it can.
    static func problem(of component: ArraySlice<UInt8>) -> String? {
        if String(validating: component, as: UTF8.self) == nil { return "the name is not UTF-8" }
        let reserved = "the name contains a character that is reserved on other systems"
        if component.contains(where: { $0 < 0x20 }) { return reserved }
        return switch WindowsName.flaw(of: component) {
        case .character: reserved
        case .end: "the name ends in a dot or space"
        case .device: "the name is that of a device on other systems"
        case nil: nil
        }
    }
}
