import Diagnostics

/// What can be wrong with JSON text (RFC 8259).
package enum JSONRule: String, ExplainedRule {
    case emptyText = "J001"
    case byteOrderMark = "J002"
    case notUTF8 = "J003"
    case unexpectedCharacter = "J004"
    case missingValue = "J005"
    case missingComma = "J006"
    case trailingComma = "J007"
    case missingColon = "J008"
    case missingKey = "J009"
    case unclosedBracket = "J010"
    case mismatchedBracket = "J011"
    case textAfterValue = "J012"
    case comment = "J013"
    case unknownWord = "J014"
    case wrongQuotes = "J015"
    case unquotedKey = "J016"
    case unterminatedString = "J017"
    case controlCharacter = "J018"
    case badEscape = "J019"
    case loneSurrogate = "J020"
    case badNumber = "J021"
    case tooDeep = "J022"
    case tooLarge = "J023"
    case duplicateKey = "J024"
    case tooManyErrors = "J025"

    package var severity: Severity { .error }

    package var title: String {
        switch self {
        case .emptyText: "there is no value"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .notUTF8: "the text is not UTF-8"
        case .unexpectedCharacter: "a character that can't stand here"
        case .missingValue: "a value is missing"
        case .missingComma: "a comma is missing"
        case .trailingComma: "a comma after the last element"
        case .missingColon: "a colon is missing after a key"
        case .missingKey: "an object's member has no key in double quotes"
        case .unclosedBracket: "a bracket is never closed"
        case .mismatchedBracket: "a closing bracket has no opening one"
        case .textAfterValue: "text after the value"
        case .comment: "JSON has no comments"
        case .unknownWord: "a word that is none of true, false and null"
        case .wrongQuotes: "strings stand in double quotes"
        case .unquotedKey: "a key without quotes"
        case .unterminatedString: "a string is never closed"
        case .controlCharacter: "a control character in a string"
        case .badEscape: "an escape that JSON doesn't have"
        case .loneSurrogate: "an escaped surrogate without its other half"
        case .badNumber: "a number in a form that JSON doesn't have"
        case .tooDeep: "too many levels of arrays and objects"
        case .tooLarge: "the text is too large"
        case .duplicateKey: "a key appears twice in an object"
        case .tooManyErrors: "too many errors to go on"
        }
    }
}
