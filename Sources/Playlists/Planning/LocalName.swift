import Platform

/// What a resource is called on the disk: part of its own name, so that people recognise it, and a digest of its URL and range, so that it
/// is always the same, and never that of another one, not even where case doesn't count.
struct LocalName {
    private static let stemBytes = 24
    private static let digestBytes = 16
    private static let hexDigits = Array("0123456789abcdef".utf8)

    private let hasher = SHA256()

    func name(
        of url: String, range: ByteRange?, decryptedBy encryption: SegmentEncryption? = nil, extension suffix: String
    ) -> String {
        var identity = url
        if let range { identity += "\n\(range.offset)+\(range.lengthBytes)" }
        if let encryption { identity += "\n\(encryption.keyURL) \(encryption.vector)" }
        hasher.reset()
        identity.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        let digest = Self.hexadecimal(hasher.finalize().bytes.prefix(Self.digestBytes))
        return "\(Self.stem(of: Self.lastComponent(url)))\(digest).\(suffix)"
    }

    /// What follows the last dot of the URL's last path component, in lower case; empty where there is none.
    static func pathExtension(_ url: String) -> String {
        let component = lastComponent(url)
        guard let dot = component.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        return component[component.utf8.index(after: dot)...].lowercased()
    }

    static func lastComponent(_ url: String) -> Substring {
        let path = URLParts(url).path
        return path[
            (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex)...]
    }

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var end = 0
            for byte in bytes {
                buffer[end] = hexDigits[Int(byte >> 4)]
                buffer[end + 1] = hexDigits[Int(byte & 15)]
                end += 2
            }
            return end
        }
    }

    private static func stem(of component: Substring) -> String {
        let name = component.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(stemBytes)
        guard !name.isEmpty else { return "" }
        return String(decoding: name.map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self) + "-"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
    }
}
