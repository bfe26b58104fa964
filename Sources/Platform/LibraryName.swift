/// What manifests and bundles may be called: `[a-z0-9][a-z0-9._-]{0,63}`. Such a name is always one visible component of a path.
package enum LibraryName {
    package static let pattern = "^[a-z0-9][a-z0-9._-]{0,63}$"

    package static func accepts(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = name.first, isLetterOrDigit(first), name.count <= 64 else { return false }
        return name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: isLetterOrDigit(byte)
            }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }
}
