import Platform

/// The name of a content directory in the store, `SLUG@KEY`: a readable form of the version, and the first 16 digits of the key's digest.
package struct StoreName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name of the content directory.
    package let path: RelativePath
    /// The name of the receipt beside it.
    package let receiptPath: RelativePath

    static let receiptSuffix = ".receipt"
    private static let keyDigits = 16
    private static let maximumSlugBytes = 64

    init(version: String, digest: SHA256Digest) {
        // Both parts are of few bytes and of safe ones, so these are paths whatever the version was.
        let name = Self.slug(of: version) + "@" + digest.prefix(digits: Self.keyDigits)
        guard let parsed = StoreName(Array(name.utf8)) else { preconditionFailure("\(name) is no store name") }
        self = parsed
    }

    /// Reads a name found on disk; nil when it is none of ours.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let (slug, key) = (bytes[..<at], bytes[(at + 1)...])
        guard (1...Self.maximumSlugBytes).contains(slug.count), slug.allSatisfy(Self.isSlugByte) else { return nil }
        guard slug.first != UInt8(ascii: "."), key.count == Self.keyDigits, key.allSatisfy(Self.isKeyDigit) else {
            return nil
        }
        guard
            let path = try? RelativePath(bytes), let receiptPath = try? RelativePath(bytes + Self.receiptSuffix.utf8)
        else { return nil }
        self.path = path
        self.receiptPath = receiptPath
    }

    package var description: String { String(decoding: path.bytes, as: UTF8.self) }

    package static func < (left: StoreName, right: StoreName) -> Bool {
        left.path.bytes.lexicographicallyPrecedes(right.path.bytes)
    }

    /// Letters, digits, `.`, `_`, `-` stay; a run of anything else becomes one `-`; never hidden, never empty.
    static func slug(of version: String) -> String {
        var slug: [UInt8] = []
        for byte in version.utf8 {
            if isSlugByte(byte) {
                slug.append(byte)
            } else if slug.last != UInt8(ascii: "-") {
                slug.append(UInt8(ascii: "-"))
            }
        }
        let trimmed = slug.drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }.prefix(maximumSlugBytes)
        return trimmed.isEmpty ? "unnamed" : String(decoding: trimmed, as: UTF8.self)
    }

    private static func isSlugByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isKeyDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

/// Where in the store a bundle's content is: `store/MANIFEST/BUNDLE/NAME`.
package struct StoreAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let bundle: BundleAddress
    package let name: StoreName

    package init(bundle: BundleAddress, name: StoreName) {
        self.bundle = bundle
        self.name = name
    }

    package var description: String { "\(bundle)/\(name)" }

    package static func < (left: StoreAddress, right: StoreAddress) -> Bool {
        (left.bundle, left.name) < (right.bundle, right.name)
    }

    /// What a generation's link to it says; links of bundles stand three levels below the library.
    var linkTarget: [UInt8] { Self.linkPrefix + Array(description.utf8) }

    private static let linkPrefix = Array("../../../store/".utf8)

    /// Reads the link of `bundle` in a generation; nil for one that leads anywhere but to that bundle's content.
    init?(linkTarget: [UInt8], of bundle: BundleAddress) {
        let expected = Self.linkPrefix + Array("\(bundle)/".utf8)
        guard linkTarget.starts(with: expected), let name = StoreName(linkTarget.dropFirst(expected.count)) else {
            return nil
        }
        self.init(bundle: bundle, name: name)
    }
}
