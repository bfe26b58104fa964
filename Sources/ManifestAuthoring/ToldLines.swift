/// The first of many lines: of a million a few tell enough.
struct ToldLines {
    private(set) var lines: [String] = []
    /// Of all that there were.
    private(set) var count = 0

    private static let mostLines = 100

    mutating func add(_ line: @autoclosure () -> String) {
        count += 1
        if lines.count < Self.mostLines { lines.append(line()) }
    }

    /// Those of a part, each behind its place.
    mutating func add(_ others: ToldLines, of place: String) {
        count += others.count
        lines += others.lines.prefix(Self.mostLines - lines.count).map { "\(place): \($0)" }
    }

    /// With one more that tells how many are left out.
    var all: [String] { count > lines.count ? lines + ["and \(count - lines.count) more like this"] : lines }
}
