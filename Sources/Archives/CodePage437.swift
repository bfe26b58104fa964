/// The character set of zip names that don't say which they are in (APPNOTE appendix D).
enum CodePage437 {
    /// The characters of the bytes 0x80 to 0xff; those below are ASCII.
    private static let upperHalf = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}").unicodeScalars)

    /// `bytes` as UTF-8.
    static func utf8(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(byte < 0x80 ? UnicodeScalar(byte) : upperHalf[Int(byte) - 0x80])
        }
        return Array(String(text).utf8)
    }
}
