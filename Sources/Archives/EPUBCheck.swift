import Platform

/// What keeps a book from being one.
package struct EPUBFault: Hashable, Sendable {
    /// What it is about.
    package enum Kind: Hashable, Sendable {
        /// The first entry, by which readers know an EPUB.
        case mimetype
        /// `META-INF/container.xml`.
        case container
        /// A package document that the container names.
        case rootfile
    }

    package let kind: Kind
    /// Whether readers can't open the book for it, or don't know that it is one. Others pass over the rest.
    package let isBreaking: Bool
    /// A clause; safe to print.
    package let message: String
}

/// Checks what every reader of an EPUB begins with (EPUB 3.3, section 4.2), and that the archive is sound.
package struct EPUBCheck {
    private let source: any ByteSource
    private let limits: ExtractionPolicy.Limits
    private let isStopped: @Sendable () -> Bool

    private static let containerPath = "META-INF/container.xml"
    private static let container: RelativePath = "META-INF/container.xml"
    /// Real ones have some hundred bytes.
    private static let containerLimitBytes = 64 << 10

    /// - Parameters:
    ///   - limits: how much the book may hold.
    ///   - isStopped: asked between pieces of at most 256 KiB.
    package init(
        _ source: any ByteSource, limits: ExtractionPolicy.Limits = ExtractionPolicy.Limits(),
        isStopped: @escaping @Sendable () -> Bool
    ) {
        self.source = source
        self.limits = limits
        self.isStopped = isStopped
    }

    /// Whether a file of that name is checked.
    package static func isDue(for name: String) -> Bool { name.lowercased().hasSuffix(".epub") }

    /// Reads the whole book.
    /// - Returns: what is wrong with it; nothing for a sound one.
    /// - Throws: where the archive as such is damaged or refused, or reading was stopped.
    package func faults() throws(ArchiveError) -> [EPUBFault] {
        var policy = ExtractionPolicy()
        policy.limits = limits
        let unpacker = Unpacker(source: source, format: .zip, policy: policy)
        let container = Locked<[UInt8]>([])
        var observer = UnpackObserver(shouldStop: isStopped)
        observer.didExamine = { path, bytes, _ in
            guard path == Self.container else { return }
            container.withLock { $0 += bytes.prefix(Self.containerLimitBytes - $0.count) }
        }
        _ = try unpacker.check(observer: observer)
        let rootfiles = Self.rootfiles(in: Self.text(of: container.withLock { $0 }))
        let wanted = Set(rootfiles.flatMap(Self.names) + [Array(Self.containerPath.utf8)])
        var present: Set<[UInt8]> = []
        _ = try unpacker.list(observer: observer) { if wanted.contains($0.name) { present.insert($0.name) } }
        return try mimetypeFaults() + Self.containerFaults(rootfiles, present)
    }

    /// Looks at the local header of the first entry, as APPNOTE 4.3.7 lays it out.
    private func mimetypeFaults() throws(ArchiveError) -> [EPUBFault] {
        let (nameOffset, name) = (30, Array("mimetype".utf8))
        let type = Array("application/epub+zip".utf8)
        let window = SourceWindow(source, readAheadBytes: 0)
        defer { withExtendedLifetime(window) {} }
        func found(_ what: String, isBreaking: Bool = true) -> [EPUBFault] {
            [EPUBFault(kind: .mimetype, isBreaking: isBreaking, message: what)]
        }
        guard let head = try window.bytes(at: 0, count: nameOffset + name.count + type.count),
            head.uint32(at: 0) == 0x0403_4B50
        else { return found("the file doesn't begin with an entry") }
        guard head.uint16(at: 26) == name.count, head.dropFirst(nameOffset).starts(with: name) else {
            // Debian's own books are so, and every reader opens them.
            return found("its first entry isn't 'mimetype'", isBreaking: false)
        }
        guard head.uint16(at: 8) == ZipMethod.stored else { return found("the entry 'mimetype' is compressed") }
        guard head.uint16(at: 28) == 0 else {
            return found("the entry 'mimetype' has an extra field", isBreaking: false)
        }
        // A length that wasn't known when the header was written is 0 there.
        guard head.dropFirst(nameOffset + name.count).starts(with: type),
            [0, type.count].contains(Int(head.uint32(at: 22)))
        else { return found("the entry 'mimetype' doesn't hold application/epub+zip", isBreaking: false) }
        return []
    }

    /// - Parameters:
    ///   - rootfiles: what the container names.
    ///   - present: what of that, and of the container, is in the book.
    private static func containerFaults(_ rootfiles: [String], _ present: Set<[UInt8]>) -> [EPUBFault] {
        guard present.contains(Array(containerPath.utf8)) else {
            return [EPUBFault(kind: .container, isBreaking: true, message: "there is no \(containerPath) in it")]
        }
        guard !rootfiles.isEmpty else {
            return [
                EPUBFault(kind: .container, isBreaking: true, message: "\(containerPath) names no package document")
            ]
        }
        let missing = rootfiles.filter { present.isDisjoint(with: names(of: $0)) }
        return missing.map { path in
            // A reader takes the one that is there.
            EPUBFault(
                kind: .rootfile, isBreaking: missing.count == rootfiles.count,
                message: "\(containerPath) names '\(escapedText(path))', which isn't in it")
        }
    }

    /// What an entry is called by a path as it is written, or as the URL that it is (EPUB 3.3, section 4.2.5): both are found in books, and
    /// understood.
    private static func names(of path: String) -> [[UInt8]] { [Array(path.utf8), percentDecoded(path.utf8)] }

    /// XML is in UTF-8, or begins with the mark that says in which order UTF-16 has its bytes (XML 1.0, section 4.3.3).
    private static func text(of xml: [UInt8]) -> String {
        let isBigEndian: Bool
        switch (xml.first, xml.dropFirst().first) {
        case (0xFE, 0xFF): isBigEndian = true
        case (0xFF, 0xFE): isBigEndian = false
        default: return String(decoding: xml, as: UTF8.self)
        }
        let units = stride(from: 2, to: xml.count - 1, by: 2).map { index in
            let unit = UInt16(xml[index]) << 8 | UInt16(xml[index + 1])
            return isBigEndian ? unit : unit.byteSwapped
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The `full-path` of each `rootfile` element, whatever prefix its name has.
    private static func rootfiles(in xml: String) -> [String] {
        xml.withoutComments.split(separator: "<").compactMap { tag in
            let name = tag.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
            guard name.split(separator: ":").last == "rootfile" else { return nil }
            return tag.dropFirst(name.count).attribute("full-path")
        }
    }
}

extension String {
    fileprivate var withoutComments: String {
        var (text, rest) = ("", self[...])
        while let start = rest.firstRange(of: "<!--") {
            text += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstRange(of: "-->") else { return text }
            rest = rest[end.upperBound...]
        }
        return text + rest
    }
}

extension Substring {
    /// The value of an attribute of the tag whose name was dropped; character references and the five entities of XML are resolved.
    fileprivate func attribute(_ name: String) -> String? {
        var rest = self
        while let found = rest.firstRange(of: name) {
            let isWhole = found.lowerBound > startIndex && self[index(before: found.lowerBound)].isWhitespace
            rest = rest[found.upperBound...].drop(while: \.isWhitespace)
            guard isWhole, rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            guard let quote = rest.popFirst(), quote == "\"" || quote == "'" else { return nil }
            return rest.prefix { $0 != quote }.resolved
        }
        return nil
    }

    /// `&#x10FFFF;`, with a zero or two before it. Further ahead no end is looked for, lest many beginnings make it long.
    private static var longestReference: Int { 12 }

    /// Without the references of XML (1.0, sections 4.1 and 4.6); what is none stays.
    private var resolved: String {
        var (text, rest) = ("", self)
        while let start = rest.firstIndex(of: "&") {
            text += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(Self.longestReference).firstIndex(of: ";"),
                let character = rest[..<end].dropFirst().referredCharacter
            else {
                text.append(rest.removeFirst())
                continue
            }
            text.append(character)
            rest = rest[end...].dropFirst()
        }
        return text + rest
    }

    /// What a reference stands for, its `&` and `;` left out.
    private var referredCharacter: Character? {
        guard hasPrefix("#") else {
            return ["lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&"][String(self)]
        }
        let number = hasPrefix("#x") ? UInt32(dropFirst(2), radix: 16) : UInt32(dropFirst())
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
