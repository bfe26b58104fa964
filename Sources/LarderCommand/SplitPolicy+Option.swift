import CommandLineParsing
import Downloads

extension SplitPolicy {
    /// How many connections anybody may ask for.
    static let connections = 1...64

    /// At most so many connections.
    init(maximumConnections: Int) {
        self.init()
        self.maximumConnections = maximumConnections
    }

    /// Reads `auto`, or a number of connections.
    init?(_ text: String) {
        if text == "auto" {
            self.init()
        } else {
            guard let count = parseDigits(text[...]), Self.connections.contains(count) else { return nil }
            self.init(maximumConnections: count)
        }
    }
}

extension CommandOption where Value == SplitPolicy {
    /// `--split`, the same wherever it is.
    static var split: Self {
        .value(
            "split",
            ArgumentType("N", expected: "auto, or a number from 1 to 64", completion: .words(["auto"])) {
                SplitPolicy($0)
            },
            default: SplitPolicy(), defaultText: "auto",
            help: "connections for one large file; 1: never more")
    }
}
