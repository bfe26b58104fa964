import JSONSyntax
import Platform

/// Writes a receipt: JSON Lines, one object a line, so that the first line can be read alone and the others one at a time.
///
/// 1. the header: `receipt` (the format, 1), `manifest`, `bundle`, `version`, `kind`, `key`, `created`, `sources`, `entries`, `contentBytes`;
/// 2. the sources: `url`, `sizeBytes`, `sha256`, `validator` or null;
/// 3. the entries: `path` (or `pathHex`, when it isn't UTF-8) and
///    - of a file `sizeBytes`, `mode` (octal digits), `modified` ([seconds since 1970, nanoseconds]), `sha256`;
///    - of a symbolic link `link` (or `linkHex`);
///    - of an empty directory nothing;
/// 4. the end: `sha256` of all lines before it.
struct ReceiptWriter {
    static let format = 1

    private let file: OwnedDescriptor
    private let hasher = SHA256()
    private var buffer: [UInt8] = []
    private static let bufferBytes = 256 << 10

    /// Writes `receipt` to `file`, which is empty; doesn't flush it.
    static func write(_ receipt: Receipt, to file: OwnedDescriptor) throws(SystemError) {
        var writer = ReceiptWriter(file: file)
        try writer.writeHeader(receipt.header)
        for source in receipt.sources { try writer.write(source) }
        for entry in receipt.entries { try writer.write(entry) }
        try writer.finish()
    }

    private init(file: OwnedDescriptor) { self.file = file }

    private mutating func writeHeader(_ header: Receipt.Header) throws(SystemError) {
        try writeLine { line in
            line.member("receipt", Self.format)
            line.member("manifest", header.origin.bundle.manifest.description)
            line.member("bundle", header.origin.bundle.bundle.description)
            line.member("version", header.origin.version)
            line.member("kind", header.origin.kind)
            line.member("key", header.origin.key.description)
            line.member("created", header.origin.created.rfc3339)
            line.member("sources", header.sourceCount)
            line.member("entries", header.entryCount)
            line.member("contentBytes", header.contentBytes)
        }
    }

    private mutating func write(_ source: Receipt.Source) throws(SystemError) {
        try writeLine { $0.sourceMembers(source) }
    }

    private mutating func write(_ entry: Receipt.Entry) throws(SystemError) {
        try writeLine { line in
            line.bytesMember("path", entry.path.bytes)
            switch entry.content {
            case .file(let file):
                line.member("sizeBytes", file.sizeBytes)
                line.member("mode", String(file.mode, radix: 8))
                line.member("modified", [file.modified.seconds, Int64(file.modified.nanoseconds)])
                line.member("sha256", file.sha256.description)
            case .symbolicLink(let target): line.bytesMember("link", target)
            case .emptyDirectory: break
            }
        }
    }

    private mutating func finish() throws(SystemError) {
        try flush()
        let digest = hasher.finalize()
        try writeLine { $0.member("sha256", digest.description) }
        try file.write(buffer)
    }

    private mutating func writeLine(_ members: (inout JSONWriter) -> Void) throws(SystemError) {
        var line = JSONWriter()
        line.object(members)
        buffer += line.bytes
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    private mutating func flush() throws(SystemError) {
        buffer.withUnsafeBytes(hasher.update)
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

extension JSONWriter {
    mutating func sourceMembers(_ source: Receipt.Source) {
        member("url", source.url)
        member("sizeBytes", source.sizeBytes)
        member("sha256", source.sha256.description)
        member("validator", source.validator)
        guard let delivery = source.delivery else { return }
        object("delivery") { writer in
            writer.member("url", delivery.url)
            writer.member("validator", delivery.validator)
        }
    }

    /// Bytes that JSON may not be able to carry: as text where they are UTF-8, else in hexadecimal under the key with `Hex` appended.
    fileprivate mutating func bytesMember(_ key: String, _ bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self) {
            member(key, text)
        } else {
            member(key + "Hex", Hexadecimal.encode(bytes))
        }
    }
}

enum Hexadecimal {
    static func encode(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Nil for anything but pairs of hexadecimal digits.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
