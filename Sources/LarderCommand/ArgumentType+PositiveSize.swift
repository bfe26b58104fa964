import CommandLineParsing
import Diagnostics

extension ArgumentType<Int> {
    /// A size where none at all makes no sense.
    static let positiveSize = ArgumentType("SIZE", expected: "a size such as 512K, at least 1") { text in
        parseSizeBytes(text).flatMap { $0 > 0 ? $0 : nil }
    }
}
