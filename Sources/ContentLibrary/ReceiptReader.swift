import Glibc
import JSONSyntax
import Platform

/// Reads what ``ReceiptWriter`` writes, and believes nothing else.
struct ReceiptReader {
    let header: Receipt.Header
    private let name: String
    private var lines: LineReader
    /// Nil for whoever only looks at the beginning.
    private let hasher: SHA256?
    // What was read of the entries.
    private var entryCount = 0
    private var contentBytes: Int64 = 0
    private var lastPath: RelativePath?
    private var isAtEnd = false

    /// A path of 4,095 bytes in hexadecimal, a long URL: no honest line comes near.
    private static let lineLimitBytes = 256 << 10

    /// Reads the header alone.
    /// - Parameter isLook: nothing is proven: what is read isn't hashed, and can't be read to its end.
    /// - Throws: `damaged` when there is none.
    init(_ file: OwnedDescriptor, isLook: Bool = false) throws(LibraryError) {
        name = file.name
        hasher = isLook ? nil : SHA256()
        lines = LineReader(file, limitBytes: Self.lineLimitBytes)
        let line = try Self.line(&lines, hasher, name)
        guard let header = Receipt.Header(line.root) else {
            throw Self.damaged(name, "it does not begin like a receipt")
        }
        self.header = header
    }

    /// Reads the rest.
    /// - Throws: `damaged` when anything is missing, too much, out of order or not as it was written.
    mutating func receipt() throws(LibraryError) -> Receipt {
        let sources = try sources()
        var entries: [Receipt.Entry] = []
        while let entry = try nextEntry() { entries.append(entry) }
        return Receipt(origin: header.origin, sources: sources, entries: entries)
    }

    /// The sources, which come first.
    mutating func sources() throws(LibraryError) -> [Receipt.Source] {
        var sources: [Receipt.Source] = []
        while sources.count < header.sourceCount { sources.append(try nextSource()) }
        return sources
    }

    /// Reads past the sources and keeps none: there may be any number of them.
    mutating func forEachSource(_ body: (Receipt.Source) -> Void) throws(LibraryError) {
        var count = 0
        while count < header.sourceCount {
            body(try nextSource())
            count += 1
        }
    }

    mutating func skipSources() throws(LibraryError) { try forEachSource { _ in } }

    /// Reads the next source. There are as many as the header says, and nothing else before them: for whoever doesn't need the rest, whose digest
    /// then isn't checked.
    mutating func nextSource() throws(LibraryError) -> Receipt.Source {
        guard let source = Receipt.Source(try nextLine().root) else { throw damaged("a source") }
        return source
    }

    /// The next entry, behind the sources; nil at the end, where the receipt has turned out to be whole: before, nothing of it is proven.
    mutating func nextEntry() throws(LibraryError) -> Receipt.Entry? {
        guard entryCount < header.entryCount else {
            try checkEnd()
            return nil
        }
        guard let entry = Receipt.Entry(try nextLine().root) else { throw damaged("an entry") }
        if let lastPath, !(lastPath < entry.path) { throw damaged("the order of entries") }
        if case .file(let file) = entry.content { contentBytes &+= file.sizeBytes }
        entryCount += 1
        lastPath = entry.path
        return entry
    }

    /// Reads all of a receipt and keeps nothing.
    /// - Throws: `damaged` when it isn't what was written.
    static func check(_ file: OwnedDescriptor) throws(LibraryError) {
        var reader = try ReceiptReader(file)
        try reader.skipSources()
        while try reader.nextEntry() != nil {}
    }

    private mutating func nextLine() throws(LibraryError) -> JSONDocument { try Self.line(&lines, hasher, name) }

    private mutating func checkEnd() throws(LibraryError) {
        if isAtEnd { return }
        guard contentBytes == header.contentBytes else { throw damaged("the sum of sizes") }
        guard let digest = hasher?.finalize() else { throw damaged("its proof") }
        hasher?.reset()
        guard try nextLine().root["sha256"]?.string == digest.description else { throw damaged("its digest") }
        guard try translating({ () throws(SystemError) in try lines.next() }) == nil else { throw damaged("its end") }
        isAtEnd = true
    }

    private static func line(
        _ lines: inout LineReader, _ hasher: SHA256?, _ name: String
    ) throws(LibraryError) -> JSONDocument {
        let bytes: [UInt8]?
        do { bytes = try lines.next() } catch {
            guard error.code == EFBIG else { throw LibraryError(error) }
            throw damaged(name, "a line is too long")
        }
        guard let bytes else { throw damaged(name, "it ends too early") }
        if let hasher { (bytes + [UInt8(ascii: "\n")]).withUnsafeBytes(hasher.update) }
        do { return try JSONDocument(bytes, name: name) } catch { throw damaged(name, "a line is not JSON") }
    }

    private func damaged(_ part: String) -> LibraryError { Self.damaged(name, "\(part) is wrong") }

    private static func damaged(_ name: String, _ reason: String) -> LibraryError {
        LibraryError(
            .damaged, "the receipt \(name) is damaged: \(reason); remove it and the next sync fetches the bundle again")
    }
}

extension Receipt.Header {
    fileprivate init?(_ value: JSONValue) {
        guard
            value["receipt"]?.integer == ReceiptWriter.format,
            let manifest = value["manifest"]?.string.flatMap({ ContentID($0) }),
            let bundle = value["bundle"]?.string.flatMap({ ContentID($0) }), let version = value["version"]?.string,
            let kind = value["kind"]?.string, let key = value["key"]?.string.flatMap({ SHA256Digest(hex: $0) }),
            let created = value["created"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
            let sourceCount = value["sources"]?.integer, let entryCount = value["entries"]?.integer,
            let contentBytes = value["contentBytes"]?.integer
        else { return nil }
        let origin = Receipt.Origin(
            bundle: BundleAddress(manifest: manifest, bundle: bundle), version: version, kind: kind, key: key,
            created: created)
        self.init(
            origin: origin, sourceCount: sourceCount, entryCount: entryCount, contentBytes: Int64(contentBytes))
    }
}

extension Receipt.Source {
    init?(_ value: JSONValue) {
        guard
            let url = value["url"]?.string, let size = value["sizeBytes"]?.integer,
            let sha256 = value["sha256"]?.string.flatMap({ SHA256Digest(hex: $0) }), let validator = value["validator"],
            validator.isNull || validator.kind == .string
        else { return nil }
        self.init(
            url: url, sizeBytes: Int64(size), sha256: sha256, validator: validator.string,
            delivery: value["delivery"].flatMap { Receipt.Delivery($0) })
    }
}

extension Receipt.Delivery {
    /// Nil for what is none: then nobody is known to have sent it.
    fileprivate init?(_ value: JSONValue) {
        guard let url = value["url"]?.string, let validator = value["validator"]?.string else { return nil }
        self.init(url: url, validator: validator)
    }
}

extension Receipt.Entry {
    fileprivate init?(_ value: JSONValue) {
        guard let bytes = value.bytesMember("path"), let path = try? RelativePath(bytes) else { return nil }
        if let target = value.bytesMember("link") {
            self.init(path: path, content: .symbolicLink(target: target))
        } else if value["sha256"] != nil {
            guard let file = Receipt.File(value) else { return nil }
            self.init(path: path, content: .file(file))
        } else {
            self.init(path: path, content: .emptyDirectory)
        }
    }
}

extension Receipt.File {
    fileprivate init?(_ value: JSONValue) {
        let time = value["modified"]?.elements.compactMap { $0.numberText.flatMap { Int64($0) } } ?? []
        guard
            let size = value["sizeBytes"]?.integer, let mode = value["mode"]?.string.flatMap({ UInt32($0, radix: 8) }),
            mode <= 0o7777, time.count == 2, (0..<1_000_000_000).contains(time[1]),
            let sha256 = value["sha256"]?.string.flatMap({ SHA256Digest(hex: $0) })
        else { return nil }
        self.init(
            sizeBytes: Int64(size), mode: mode, modified: Timestamp(seconds: time[0], nanoseconds: Int32(time[1])),
            sha256: sha256)
    }
}

extension JSONValue {
    fileprivate func bytesMember(_ key: String) -> [UInt8]? {
        if let text = self[key]?.string { return Array(text.utf8) }
        return self[key + "Hex"]?.string.flatMap(Hexadecimal.decode)
    }
}
