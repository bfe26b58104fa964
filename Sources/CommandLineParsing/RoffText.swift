/// Text as the man macros of roff take it, groff_man(7): no character of it is a request or an escape sequence, and all of it is ASCII.
enum RoffText {
    /// A line, or a part of one.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\(rs"
            // What is bare becomes a hyphen, a quote or an accent that no shell knows.
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\"": escaped += "\\(dq"
            case " "..."}": escaped.unicodeScalars.append(scalar)
            case "\n": escaped += " "
            // Not every device of groff has it.
            case "…": escaped += "..."
            default: escaped += "\\[u\(hexadecimal(scalar))]"
            }
        }
        // A line that begins with a full stop would be a request.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// At least four digits, as groff_char(7) wants them.
    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
