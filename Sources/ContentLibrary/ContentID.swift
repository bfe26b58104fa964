import Platform

/// The id of a manifest, or of a bundle in its manifest: `[a-z0-9][a-z0-9._-]{0,63}`, so always one visible path component.
package struct ContentID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as a path component.
    package let path: RelativePath

    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...64).contains(bytes.count), Self.isLetterOrDigit(bytes[0]), bytes.allSatisfy(Self.isAllowed) else {
            return nil
        }
        guard let path = try? RelativePath(bytes) else { return nil }
        self.path = path
    }

    package init?(_ path: RelativePath) { self.init(String(decoding: path.bytes, as: UTF8.self)) }

    package var description: String { String(decoding: path.bytes, as: UTF8.self) }

    package static func < (left: ContentID, right: ContentID) -> Bool {
        left.path.bytes.lexicographicallyPrecedes(right.path.bytes)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
    }
}

/// Which bundle of which manifest.
package struct BundleAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let manifest: ContentID
    package let bundle: ContentID

    package init(manifest: ContentID, bundle: ContentID) {
        self.manifest = manifest
        self.bundle = bundle
    }

    package var description: String { "\(manifest)/\(bundle)" }

    package static func < (left: BundleAddress, right: BundleAddress) -> Bool {
        (left.manifest, left.bundle) < (right.manifest, right.bundle)
    }
}
