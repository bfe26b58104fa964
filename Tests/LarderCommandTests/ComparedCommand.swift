import TestSupport
import Testing

/// A row of the comparison with other programs: a command, and what is said to come of it.
struct ComparedCommand: CustomTestStringConvertible {
    static let article = Article(path: "Sources/LarderCommand/LarderCommand.docc/Comparison.md")

    /// The title above the table.
    let title: String
    let command: String
    let outcome: String

    var testDescription: String { "\(title): \(command)" }

    /// The rows whose first cell is a command.
    static let all: [ComparedCommand] = {
        var (title, found) = ("", [ComparedCommand]())
        for line in (try? article.lines()) ?? [] {
            if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
            if let row = line.wholeMatch(of: #/\| `(.+)` \| (.+) \|/#) {
                found.append(ComparedCommand(title: title, command: "\(row.1)", outcome: "\(row.2)"))
            }
        }
        return found
    }()
}
