import CExpat
import Platform

/// Reads XML by expat, while it arrives. No document type is taken, and so neither entities nor anything external; nothing may be larger or
/// deeper than the lists of files that are read here need it. Elements of other namespaces are passed over, with all that they hold.
final class XMLReader {
    private let parser: OpaquePointer
    private let namespaces: [String]
    private let handler: any XMLHandler
    /// Of the document, for messages.
    private let name: String
    private var problem: ImportProblem?
    private var depth = 0
    /// Where what is passed over begins.
    private var skippedFrom: Int?
    private var text: [UInt8] = []
    private var fedBytes = 0

    private static let mostDepth = 32
    private static let longestTextBytes = 64 << 10
    /// Of a tag with all its attributes, or a comment: expat holds it whole, and looks at it anew with each piece.
    private static let longestTokenBytes = 1 << 20
    /// Stands between a namespace and a name, and in neither.
    private static let separator = UInt8(ascii: "\n")

    /// - Parameter namespaces: those whose elements count.
    init(_ name: String, namespaces: [String], _ handler: any XMLHandler) {
        guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: Self.separator)) else {
            giveUp("out of memory for an XML parser")
        }
        self.parser = parser
        self.name = name
        self.namespaces = namespaces
        self.handler = handler
    }

    deinit { XML_ParserFree(parser) }

    /// - Throws: `invalid` for what is no well-formed XML, or more than is taken; what the handler throws.
    func read(_ input: ListInput) throws(ImportProblem) {
        // Taken back before this returns; nobody calls back later.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, elementBegins, elementEnds)
        XML_SetCharacterDataHandler(parser, textComes)
        XML_SetStartDoctypeDeclHandler(parser, doctypeBegins)
        defer { XML_SetUserData(parser, nil) }
        while try input.take({ piece throws(ImportProblem) in try feed(piece) }) {}
        try check(XML_Parse(parser, nil, 0, 1))
    }

    private func feed(_ piece: UnsafeRawBufferPointer) throws(ImportProblem) {
        let bytes = piece.assumingMemoryBound(to: CChar.self)
        try check(XML_Parse(parser, bytes.baseAddress, Int32(clamping: piece.count), 0))
        fedBytes += piece.count
        let seen = Int(XML_GetCurrentByteIndex(parser))
        guard seen < 0 || fedBytes - seen <= Self.longestTokenBytes else {
            throw invalid("a tag or comment is longer than \(Self.longestTokenBytes >> 20) MiB")
        }
    }

    private func check(_ status: XML_Status) throws(ImportProblem) {
        if let problem { throw problem }
        guard status != XML_STATUS_OK else { return }
        let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it can't be read"
        throw invalid("the XML can't be read: \(message)")
    }

    private func invalid(_ what: String) -> ImportProblem {
        let column = Int(XML_GetCurrentColumnNumber(parser)) + 1
        return .invalid("\(name):\(line):\(column): \(what)")
    }

    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private func attempt(_ body: () throws(ImportProblem) -> Void) {
        // expat tells of an empty element's end even after it was stopped.
        guard problem == nil else { return }
        do throws(ImportProblem) { try body() } catch {
            problem = error
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }
    }

    // MARK: What expat tells

    fileprivate func begin(
        _ qualified: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        attempt { () throws(ImportProblem) in
            depth += 1
            guard depth <= Self.mostDepth else {
                throw invalid("elements lie deeper in each other than \(Self.mostDepth)")
            }
            text.removeAll(keepingCapacity: true)
            guard skippedFrom == nil else { return }
            guard let name = localName(qualified) else {
                skippedFrom = depth
                return
            }
            try handler.begin(name, Self.values(of: attributes), line: line)
        }
    }

    fileprivate func end(_ qualified: UnsafePointer<XML_Char>) {
        attempt { () throws(ImportProblem) in
            defer {
                depth -= 1
                text.removeAll(keepingCapacity: true)
            }
            if let from = skippedFrom {
                if depth == from { skippedFrom = nil }
                return
            }
            guard let name = localName(qualified) else { return }
            try handler.end(name, text: Self.trimmed(text))
        }
    }

    fileprivate func take(_ bytes: UnsafeBufferPointer<XML_Char>) {
        attempt { () throws(ImportProblem) in
            guard skippedFrom == nil else { return }
            text += UnsafeRawBufferPointer(bytes)
            guard text.count <= Self.longestTextBytes else {
                throw invalid("the text of an element is longer than \(Self.longestTextBytes >> 10) KiB")
            }
        }
    }

    fileprivate func refuseDoctype() {
        attempt { () throws(ImportProblem) in
            throw invalid(
                "it has a document type, which no list of files needs: remove the DOCTYPE, and what it declares")
        }
    }

    /// Nil for one of another namespace.
    private func localName(_ qualified: UnsafePointer<XML_Char>) -> String? {
        let name = String(cString: qualified)
        guard let end = name.utf8.lastIndex(of: Self.separator), namespaces.contains(String(name[..<end])) else {
            return nil
        }
        return String(name[name.utf8.index(after: end)...])
    }

    /// Names and values in turn, up to a nil. A name with a namespace keeps that in front.
    private static func values(of attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [String: String] {
        guard var next = attributes else { return [:] }
        var values: [String: String] = [:]
        while let name = next[0], let value = next[1] {
            values[String(cString: name)] = String(cString: value)
            next += 2
        }
        return values
    }

    private static func trimmed(_ text: [UInt8]) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: text[first...last], as: UTF8.self)
    }
}

private func reader(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
    data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
}

private let elementBegins: XML_StartElementHandler = { data, name, attributes in
    if let name { reader(data)?.begin(name, attributes) }
}

private let elementEnds: XML_EndElementHandler = { data, name in
    if let name { reader(data)?.end(name) }
}

private let textComes: XML_CharacterDataHandler = { data, bytes, count in
    reader(data)?.take(UnsafeBufferPointer(start: bytes, count: Int(count)))
}

private let doctypeBegins: XML_StartDoctypeDeclHandler = { data, _, _, _, _ in reader(data)?.refuseDoctype() }
