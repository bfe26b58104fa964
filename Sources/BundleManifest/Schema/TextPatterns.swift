/// Regular expressions for what the rules about paths, URLs and headers take, for the schema. They use only what all dialects share, so they
/// can't count bytes; the rules themselves stay the judges.
enum TextPatterns {
    // MARK: Paths

    private static let name: String = {
        let control = #"\x00-\x1f\x7f"#
        let any = #"[^/\\\#(control)]"#
        let noDot = #"[^./\\\#(control)]"#
        return #"(\.?\#(noDot)\#(any)*|\.\.\#(any)+)"#
    }()

    static let filename = "^\(name)$"
    static let path = "^\(name)(/\(name))*$"

    // MARK: URLs

    private static let scheme = "[A-Za-z][A-Za-z0-9+.-]*:"
    private static let host = #"(\[[0-9A-Fa-f:.]+(%[^\[\]/?#@]*)?\]|([A-Za-z0-9._~-]|%[89A-Fa-f][0-9A-Fa-f])+)"#
    private static let port =
        "(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5][0-9]{4}|[0-9]{1,4})?)?"

    static let urlCharacters = #"^([!#$&-;=?-Z\[\]_a-z~]|%[0-9A-Fa-f]{2})+$"#
    static let absoluteURL = "^\(scheme)"
    static let usableURL =
        #"^([Hh][Tt][Tt][Pp][Ss]?://\#(host)\#(port)([/?#].*)?|[Ff][Ii][Ll][Ee]:(//([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])?)?/[^?#]*([?#].*)?)$"#
    static let beginsWithAuthority = "^//"
    static let usableAuthority = "^//(\(host))?\(port)([/?#].*)?$"

    // MARK: Times

    static let timestamp: String = {
        let date = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        // A leap second comes at the end of a day.
        let time = "(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|23:59:60)"
        return #"^\#(date)[Tt]\#(time)(\.[0-9]+)?([Zz]|\+00:00)$"#
    }()

    // MARK: Headers

    static let headerName = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
    static let headerValue = #"^[^\x00-\x08\x0a-\x1f\x7f]*$"#

    /// Any of these words, in upper and lower case alike.
    static func anyOf(_ words: some Sequence<String>) -> String {
        let alternatives = words.sorted().map { word in
            word.map { $0.isLetter ? "[\($0.uppercased())\($0.lowercased())]" : String($0) }.joined()
        }
        return "^(\(alternatives.joined(separator: "|")))$"
    }
}
