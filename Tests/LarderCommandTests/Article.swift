import TestSupport
import Testing

/// The README, or an article about the program.
struct Article: CustomTestStringConvertible {
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let catalogue = "Sources/LarderCommand/LarderCommand.docc"

    static let all: [Article] =
        [Article(path: "README.md")]
        + ((try? directoryEntries(FilePathBytes("\(root)/\(catalogue)"))) ?? [])
        .map { Article(path: "\(catalogue)/\($0)") }

    /// In the checkout.
    let path: String

    var testDescription: String { path }

    /// What stands between fences of backticks.
    struct Block {
        /// What stands behind the fence that begins it.
        let language: String
        /// The number of its first line in the file.
        let line: Int
        var lines: [String] = []
    }

    func lines() throws -> [String] {
        String(decoding: try readFile("\(Self.root)/\(path)"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func blocks() throws -> [Block] {
        var (blocks, isInside) = ([Block](), false)
        for (number, line) in try lines().enumerated() {
            if line.hasPrefix("```") {
                isInside.toggle()
                if isInside { blocks.append(Block(language: String(line.dropFirst(3)), line: number + 2)) }
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }
}

extension Article.Block {
    /// What is to be typed, with what is shown for it; nil where nothing is, and it has only to succeed.
    struct Typed {
        var text: String
        /// The number of its line in the file.
        let line: Int
        var output: [String]?
    }

    /// A block of `sh` is typed as a whole, one of `console` line for line: those behind a dollar sign, and what they are continued by.
    var typed: [Typed] {
        switch language {
        case "sh": [Typed(text: lines.joined(separator: "\n"), line: line)]
        case "console": consoleLines
        default: []
        }
    }

    private var consoleLines: [Typed] {
        var (found, isContinued) = ([Typed](), false)
        for (offset, line) in lines.enumerated() {
            if isContinued {
                found[found.count - 1].text += "\n" + line
                isContinued = line.hasSuffix("\\")
            } else if line.hasPrefix("$ ") {
                found.append(Typed(text: String(line.dropFirst(2)), line: self.line + offset, output: []))
                isContinued = line.hasSuffix("\\")
            } else if !found.isEmpty {
                found[found.count - 1].output?.append(line)
            }
        }
        return found
    }
}
