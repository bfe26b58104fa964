import Diagnostics
import JSONSyntax

/// What is said of values of the wrong type, and of numbers that are none of those wanted.
extension DecodingContext {
    /// - Parameters:
    ///   - elements: of an array: what kind its elements are.
    ///   - form: how such a value is written, where its kind doesn't tell.
    mutating func reportType(
        of value: JSONValue, _ expected: String, _ kind: JSONKind, elements: JSONKind?, form: String?
    ) {
        mayHaveRepeatedKeys = true
        let remedy = kind == .array ? listRemedy(value, elements) : typeRemedy(value, kind)
        report(
            .wrongType, "expected \(expected), found \(value.kind.described)", at: value,
            hint: remedy?.hint ?? form.map { "write it as \($0)" }, fix: remedy?.fix ?? [])
    }

    /// How a value may have been meant that has the wrong type.
    private func typeRemedy(_ value: JSONValue, _ kind: JSONKind) -> (hint: String, fix: [TextEdit])? {
        let text = value.string ?? ""
        switch (value.kind, kind) {
        case (.null, _):
            return ("leave out the key", [])
        case (.string, .number) where JSONValue.isNumber(text),
            (.string, .boolean) where ["true", "false"].contains(text):
            return ("leave out the quotes", [TextEdit(value.range, text)])
        case (.string, .number):
            return ("write plain digits, without quotes and without a unit", [])
        case (.string, .boolean):
            return ("write true or false, without quotes", [])
        case (.number, .string):
            let number = value.numberText ?? ""
            return ("write it in double quotes", [TextEdit(value.range, "\"\(number)\"")])
        default:
            return nil
        }
    }

    /// How what should be a list may have been meant.
    private func listRemedy(_ value: JSONValue, _ elements: JSONKind?) -> (hint: String, fix: [TextEdit])? {
        switch value.kind {
        case .null:
            return ("leave out the key", [])
        // As some programs write a list that is empty.
        case .object where value.members.first(where: { _ in true }) == nil:
            return (
                "write [ ] in place of { }",
                [
                    TextEdit(SourceRange(at: value.range.start, length: 1), "["),
                    TextEdit(SourceRange(at: value.range.end - 1, length: 1), "]"),
                ]
            )
        case .object where elements == .object && value.hasObjectsOnly:
            return ("write a list, [ ], of the objects in it, and what are keys here into them", [])
        case let kind where kind == elements:
            return (
                "write [ ] around it, if there is only one",
                [TextEdit(SourceRange(at: value.range.start), "["), TextEdit(SourceRange(at: value.range.end), "]")]
            )
        default:
            return ("write a list, [ ]", [])
        }
    }

    /// Tells what is wrong with a number that should be a whole one, in plain digits.
    mutating func reportInteger(_ value: JSONValue, _ expected: String) {
        let written = value.numberForMessage
        switch value.integerForm {
        case .otherForm(let integer):
            report(
                json: .integerInOtherForm, "\(written) is not in plain digits", at: value, hint: "write \(integer)",
                fix: [TextEdit(value.range, String(integer))])
        case .negativeZero:
            report(
                json: .negativeZero, "\(written) is zero with a minus sign", at: value, hint: "write 0",
                fix: [TextEdit(value.range, "0")])
        case .tooLarge:
            report(
                json: .integerTooLarge, "\(written) is too large for many readers of JSON", at: value,
                hint: "the largest whole number that all of them keep is \(JSONValue.largestInteger)")
        case .plain, .negative, .fractional, nil:
            report(.badNumber, "expected \(expected), found \(written)", at: value)
        }
    }
}

extension JSONValue {
    /// Whether an object is what other formats have for a list: each element under a key of its own.
    fileprivate var hasObjectsOnly: Bool {
        var members = members
        guard members.next()?.value.kind == .object else { return false }
        return members.allSatisfy { $0.value.kind == .object }
    }

    /// A number as it is written, cut where it goes on and on. It needs no quotes: it has digits, and what stands between them.
    var numberForMessage: String {
        let text = numberText ?? ""
        return text.utf8.count <= 40 ? text : "\(text.prefix(40))…"
    }
}
