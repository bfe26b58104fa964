import JSONSyntax
import Testing

/// How whole numbers are written, decided by their digits.
@Suite struct JSONIntegerTests {
    private static let largest = JSONValue.largestInteger

    @Test(
        arguments: [
            ("0", .plain(0)), ("12", .plain(12)), ("9007199254740991", .plain(largest)),
            ("1e3", .otherForm(1000)), ("1.0", .otherForm(1)), ("1.50e1", .otherForm(15)), ("1200E-2", .otherForm(12)),
            ("0.0", .otherForm(0)), ("0e99999999999999999999", .otherForm(0)), ("100e-0002", .otherForm(1)),
            ("9007199254740991.0", .otherForm(largest)), ("0.9007199254740991e16", .otherForm(largest)),
            ("-0", .negativeZero), ("-0.0", .negativeZero), ("-0e5", .negativeZero),
            ("9007199254740992", .tooLarge), ("1e16", .tooLarge), ("1e99999999999999999999", .tooLarge),
            ("9007199254740991e1", .tooLarge), ("-1", .negative), ("-1e400", .negative), ("-0.5", .negative),
            ("1.5", .fractional), ("1e-1", .fractional), ("12e-3", .fractional),
            ("1e-99999999999999999999", .fractional),
            ("0.00000000000000000001", .fractional), ("1e-9223372036854775808", .fractional),
        ] as [(String, JSONValue.IntegerForm)])
    func theFormOfANumber(_ text: String, _ form: JSONValue.IntegerForm) throws {
        #expect(try JSONDocument(Array(text.utf8), name: "number").root.integerForm == form)
    }

    @Test(arguments: [
        ("12", true), ("-1.5e3", true), ("", false), (" 1", false), ("1 ", false), ("01", false), ("a", false),
    ])
    func whetherATextIsANumber(_ text: String, _ isNumber: Bool) {
        #expect(JSONValue.isNumber(text) == isNumber)
    }
}
