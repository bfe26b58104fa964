/// Things worth telling that stopped nothing; the first ones of many, so that a hostile archive can't make a list without end.
struct Warnings {
    private static let maximumLines = 100
    private(set) var lines: [String] = []
    private var suppressed = 0

    mutating func add(_ line: String) {
        if lines.count < Self.maximumLines { lines.append(line) } else { suppressed += 1 }
    }

    /// All lines, and how many more there were.
    var all: [String] { suppressed == 0 ? lines : lines + ["and \(suppressed) more warnings"] }
}
