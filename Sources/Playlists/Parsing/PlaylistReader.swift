import Platform
import Diagnostics

/// What the readers of tags share: the text, the variables so far, and where findings go.
struct PlaylistReader {
    let text: PlaylistBytes
    let limits: PlaylistLimits
    var variables = VariableTable()
    private(set) var findings: PlaylistFindings
    private var substitutedBytes = 0

    init(_ bytes: [UInt8], limits: PlaylistLimits) {
        text = PlaylistBytes(bytes)
        self.limits = limits
        findings = PlaylistFindings(limit: limits.findingsOfOneRule)
    }

    mutating func report(
        _ rule: PlaylistRule, _ message: @autoclosure () -> String, at range: Range<Int>, hint: String? = nil
    ) {
        findings.report(rule, message, at: range, hint: hint)
    }

    /// A URI as a string, variables replaced; nil, and told, when it can't be one.
    mutating func uri(_ range: Range<Int>) -> String? {
        guard let uri = text.validText(range) else {
            report(.badURI, "the URI is not UTF-8", at: range, hint: "percent-encode it (RFC 3986 §2.1)")
            return nil
        }
        return substituted(uri, at: range)
    }

    /// A URI that is a line of its own; nil, and told, when variables make something else of the line.
    mutating func lineURI(_ range: Range<Int>) -> String? {
        guard let uri = uri(range) else { return nil }
        guard text.hasBraces else { return uri }
        guard let first = uri.utf8.first, let last = uri.utf8.last, first != UInt8(ascii: "#"),
            !PlaylistBytes.isBlank(first), !PlaylistBytes.isBlank(last)
        else {
            report(
                .badURI, "the line is \(shownURL(uri).quotedForMessage()) once its variables are replaced: no URI",
                at: range)
            return nil
        }
        return uri
    }

    /// A text for people: what isn't UTF-8 in it is replaced, and told.
    mutating func words(_ range: Range<Int>) -> String {
        if let words = text.validText(range) { return words }
        report(.notUTF8, "the text is not UTF-8", at: range)
        return text.text(range)
    }

    private mutating func substituted(_ value: String, at range: Range<Int>) -> String? {
        guard text.hasBraces, value.utf8.contains(UInt8(ascii: "{")) else { return value }
        do throws(VariableTable.Problem) {
            let left = limits.substitutedBytes - substitutedBytes
            let result = try variables.substituting(in: value, limitBytes: min(limits.substitutedLineBytes, left))
            substitutedBytes += result.utf8.count
            return result
        } catch {
            switch error {
            case .undefined(let name):
                report(
                    .undefinedVariable, "the variable \(name.quotedForMessage()) isn't defined", at: range,
                    hint: "an #EXT-X-DEFINE has to stand before it")
            case .tooLong:
                let limitBytes = limits.substitutedLineBytes
                report(
                    .tooLarge, "variables make too much of the line: it may have \(limitBytes) bytes", at: range)
            }
            return nil
        }
    }

    /// The attributes of a tag (RFC 8216 §4.2); nil, and told, when they can't be told apart.
    mutating func attributes(_ range: Range<Int>) -> TagAttributes? {
        var parser = AttributeParser(text: text, range: range)
        var entries: [TagAttributes.Entry] = []
        while let next = parser.next(&self) {
            guard let value = attributeValue(next) else { return nil }
            if let earlier = entries.first(where: { $0.attribute.name == next.name }) {
                guard earlier.attribute.value == value else {
                    report(
                        .duplicateAttribute, "\(next.name.quotedForMessage()) has two different values", at: next.value)
                    return nil
                }
                report(.looseAttribute, "\(next.name.quotedForMessage()) stands here twice", at: next.value)
                continue
            }
            guard entries.count < limits.attributes else {
                let limit = limits.attributes
                report(.tooLarge, "the tag has more than \(limit) attributes", at: range)
                return nil
            }
            entries.append(.init(attribute: .init(next.name, value, isQuoted: next.isQuoted), range: next.value))
        }
        return parser.hasFailed ? nil : TagAttributes(entries: entries, range: range)
    }

    private mutating func attributeValue(_ parsed: AttributeParser.Parsed) -> String? {
        guard parsed.name == "URI" else {
            let value = words(parsed.value)
            // Of those without quotes only hexadecimal numbers may have variables.
            return parsed.isQuoted || parsed.name == "IV" ? substituted(value, at: parsed.value) : value
        }
        guard parsed.isQuoted else {
            report(.badAttributes, "the URI stands without quotes: where it ends can't be told", at: parsed.value)
            return nil
        }
        return uri(parsed.value)
    }
}
