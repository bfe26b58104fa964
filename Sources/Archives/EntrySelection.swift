import Platform

/// Which entries of an archive are created, and how much of their paths is dropped.
///
/// Patterns are written as in `.gitignore`: `*` (not across `/`), `**`, `?`, `[a-z]`, `[!a-z]` and `\` to escape, on bytes. One without a
/// slash matches a component at any depth, one with a slash begins at the top, one that ends with a slash matches directories alone; and what
/// matches a directory matches everything beneath it. They are applied to a path as it will be, after its first components have been dropped.
///
/// The archive is judged as a whole whatever is selected: a damaged structure or an unsafe name of any entry refuses it. Only what makes
/// single contents unreadable, such as encryption, matters for selected entries alone.
public struct EntrySelection: Hashable, Sendable {
    /// Everything, with whole paths.
    public static let everything = EntrySelection()

    private let strip: Int
    private let include: [PathPattern]
    private let exclude: [PathPattern]

    private init() { (strip, include, exclude) = (0, [], []) }

    /// - Parameters:
    ///   - strip: how many leading components every path loses; entries with no more of them are left out.
    ///   - include: what to take; empty for everything.
    ///   - exclude: what to leave out, stronger than `include`.
    /// - Throws: an error with the code `notSelectable` that quotes the pattern and says what is wrong with it.
    public init(strip: Int = 0, include: [String] = [], exclude: [String] = []) throws(ArchiveError) {
        self.strip = max(0, strip)
        self.include = try Self.patterns(include)
        self.exclude = try Self.patterns(exclude)
    }

    private static func patterns(_ texts: [String]) throws(ArchiveError) -> [PathPattern] {
        var patterns: [PathPattern] = []
        for text in texts {
            do throws(PathPatternProblem) { patterns.append(try PathPattern(text)) } catch {
                throw ArchiveError(.notSelectable, "the pattern '\(escapedText(text))' can't be used: \(error)")
            }
        }
        return patterns
    }

    /// Whether nothing is left out or dropped.
    public var isEverything: Bool { self == .everything }

    /// Which part of an entry's name is the path it will have: nil when the entry is left out.
    /// - Parameter names: what the ranges of `path` refer to.
    func selectedName(of path: EntryPath, in names: [UInt8], isDirectory: Bool) -> Range<Int>? {
        let kept = path.components.dropFirst(strip)
        guard let start = kept.first?.lowerBound, let end = kept.last?.upperBound else { return nil }
        let components = kept.map { names[$0] }
        guard include.isEmpty || include.contains(where: { $0.matches(components, isDirectory: isDirectory) }) else {
            return nil
        }
        return exclude.contains { $0.matches(components, isDirectory: isDirectory) } ? nil : start..<end
    }

    /// What was asked for, for messages.
    var description: String {
        var parts: [String] = []
        if !include.isEmpty { parts.append("include " + Self.quoted(include)) }
        if !exclude.isEmpty { parts.append("exclude " + Self.quoted(exclude)) }
        if strip > 0 { parts.append("strip \(strip)") }
        return parts.joined(separator: ", ")
    }

    private static func quoted(_ patterns: [PathPattern]) -> String {
        patterns.map { "'\($0)'" }.joined(separator: " ")
    }
}
