import Diagnostics
import Glibc
import Platform

extension Console {
    static func write(_ diff: LineDiff) {
        let text = String(decoding: diff.bytes, as: UTF8.self)
        write(Terminal.isTerminal(STDOUT_FILENO) ? text.harmless : text)
    }
}

extension String {
    /// The lines without what a terminal would follow instead of showing it.
    fileprivate var harmless: String {
        let scalars = unicodeScalars.map { $0 == "\n" || $0 == "\t" || !$0.isUnsafeInMessages ? $0 : "\u{FFFD}" }
        return String(String.UnicodeScalarView(scalars))
    }
}
