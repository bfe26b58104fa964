import Diagnostics
import Platform

/// Reads JSON text (RFC 8259) in one pass and without recursion.
///
/// After an error it carries on at the likeliest place, so that one run tells as much as can be told apart. The tree is only good
/// when there were no errors.
struct JSONParser {
    /// What may come next.
    enum Expectation {
        case value
        /// After `[`, and after a comma in an array.
        case firstElement, nextElement
        /// After `{`, and after a comma in an object.
        case firstKey, nextKey
        case colon
        /// After a value: a comma or the closing bracket.
        case separator
        /// After the outermost value.
        case end
    }

    struct OpenContainer {
        let node: Int
        let kind: JSONKind
        let offset: Int
    }

    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0
    var nodes: [JSONNode] = []
    var open: [OpenContainer] = []
    var errors: [Diagnostic] = []
    var lastComma = 0
    /// Where the token before this one ends.
    private(set) var tokenEnd = 0
    private var expectation = Expectation.value

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        // Rarely does a node take less than eight bytes of text. Pages that aren't touched cost nothing; growing step by step would
        // hold the old and the new array at once.
        nodes.reserveLargeCapacity(min(bytes.count, limits.textBytes) / 8 + 16)
    }

    mutating func parse() {
        guard bytes.count <= limits.textBytes else {
            return report(
                .tooLarge, "the text has \(bytes.count) bytes, more than the \(limits.textBytes) allowed", at: 0)
        }
        guard checkEncoding() else { return }
        while errors.count < limits.errors {
            guard nodes.count <= limits.nodes else {
                return report(.tooLarge, "the text has more than \(limits.nodes) values and keys", at: position)
            }
            tokenEnd = position
            skipWhitespace()
            guard position < bytes.count else { return reportEnd() }
            guard expectation != .end else {
                return report(
                    .textAfterValue, "text after the end of the value", at: position,
                    hint: "one text holds one value: a second one needs a file of its own")
            }
            step(bytes[position])
        }
        report(.tooManyErrors, "\(errors.count) errors: the rest of the text was not looked at", at: position)
    }

    /// Takes one token, or reports why there is none and moves on. Every call moves ahead, closes a container or changes the expectation.
    private mutating func step(_ byte: UInt8) {
        switch expectation {
        case .value, .firstElement, .nextElement:
            expectation = parseValue(byte)
        case .firstKey, .nextKey:
            expectation = parseKey(byte)
        case .colon:
            expectation = parseColon(byte)
        case .separator:
            expectation = parseSeparator(byte)
        case .end:
            break
        }
    }

    private mutating func parseValue(_ byte: UInt8) -> Expectation {
        switch byte {
        case UInt8(ascii: "\""):
            parseString(quote: byte)
        case UInt8(ascii: "{"):
            return openContainer(.object)
        case UInt8(ascii: "["):
            return openContainer(.array)
        case UInt8(ascii: "]") where expectation == .firstElement:
            return closeContainer(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            parseNumber()
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            parseWord()
        default:
            return recoverFromBadValue(byte, expecting: expectation)
        }
        return afterValue
    }

    private mutating func parseKey(_ byte: UInt8) -> Expectation {
        switch byte {
        case UInt8(ascii: "\""):
            parseString(quote: byte)
            return .colon
        case UInt8(ascii: "}") where expectation == .firstKey:
            return closeContainer(byte)
        default:
            return recoverFromBadKey(byte, expecting: expectation)
        }
    }

    private mutating func parseColon(_ byte: UInt8) -> Expectation {
        guard byte == UInt8(ascii: ":") else { return recoverFromMissingColon(byte) }
        position += 1
        return .value
    }

    private mutating func parseSeparator(_ byte: UInt8) -> Expectation {
        switch byte {
        case UInt8(ascii: ","):
            lastComma = position
            position += 1
            return afterComma
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            return closeContainer(byte)
        default:
            return recoverFromMissingSeparator(byte)
        }
    }

    // MARK: Containers

    var afterValue: Expectation { open.isEmpty ? .end : .separator }

    var afterComma: Expectation { open.last?.kind == .object ? .nextKey : .nextElement }

    private mutating func openContainer(_ kind: JSONKind) -> Expectation {
        if open.count == limits.depth {
            report(.tooDeep, "more than \(limits.depth) levels of arrays and objects", at: position)
            return giveUp()
        }
        open.append(OpenContainer(node: nodes.count, kind: kind, offset: position))
        appendNode(kind, from: position, to: position + 1)
        position += 1
        return kind == .object ? .firstKey : .firstElement
    }

    mutating func closeContainer(_ byte: UInt8) -> Expectation {
        let kind: JSONKind = byte == UInt8(ascii: "}") ? .object : .array
        guard let container = open.last, container.kind == kind else { return recoverFromMismatchedBracket(kind) }
        position += 1
        endContainer(container)
        return afterValue
    }

    mutating func endContainer(_ container: OpenContainer) {
        open.removeLast()
        nodes[container.node].end = UInt32(position)
        nodes[container.node].subtreeEnd = nodes.count
    }

    mutating func appendNode(_ kind: JSONKind, from start: Int, to end: Int, hasEscapes: Bool = false) {
        nodes.append(
            JSONNode(
                start: UInt32(start), end: UInt32(end), subtreeEnd: nodes.count + 1, kind: kind,
                hasEscapes: hasEscapes))
    }

    // MARK: Between tokens

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            case UInt8(ascii: "/"), UInt8(ascii: "#"):
                guard errors.count < limits.errors, skipComment() else { return }
            default: return
            }
        }
    }

    /// The first byte from an offset on that is no white space; nil for none nearby.
    func nextByte(from offset: Int) -> UInt8? { bytes[offset...].prefix(4096).first { !$0.isJSONSpace } }

    // MARK: Reports

    mutating func report(
        _ rule: JSONRule, _ message: String, at start: Int, to end: Int? = nil, notes: [Diagnostic.Note] = [],
        hint: String? = nil, fix: [TextEdit] = []
    ) {
        let range = SourceRange(start: start, end: end ?? min(start + 1, bytes.count))
        errors.append(Diagnostic(rule, message, at: range, notes: notes, hint: hint, fix: fix))
    }

    /// Ends parsing where going on would only produce errors that follow from the last one.
    mutating func giveUp() -> Expectation {
        position = bytes.count
        open.removeAll()
        return .end
    }

    private mutating func reportEnd() {
        switch expectation {
        case .end: return
        case .value where open.isEmpty:
            let told = Set(errors.map(\.id)).subtracting([JSONRule.byteOrderMark.id])
            // What stands in the place of a value has been told.
            guard told.isSubset(of: [JSONRule.comment.id]) else { return }
            let rest = told.isEmpty ? "only white space" : "only comments"
            report(
                .emptyText, bytes.isEmpty ? "the text is empty" : "there is no value, \(rest)", at: position)
        default: reportUnclosed(open[...], at: position)
        }
    }
}

extension UInt8 {
    /// Whether it is white space between the tokens of JSON (RFC 8259, section 2).
    var isJSONSpace: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
        default: false
        }
    }
}
