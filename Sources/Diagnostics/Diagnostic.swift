/// One finding about a text: which rule, where, and what to do about it.
package struct Diagnostic: Sendable, Hashable {
    /// Another place that helps to understand the finding.
    package struct Note: Sendable, Hashable {
        package let message: String
        package let range: SourceRange

        package init(_ message: String, at range: SourceRange) {
            self.message = message
            self.range = range
        }
    }

    /// The id of the rule: `J001`.
    package let id: String
    package let severity: Severity
    /// One line without a final full stop. Whatever it quotes from outside is escaped already.
    package var message: String
    package let range: SourceRange
    /// How many more of the same rule were found and aren't told one by one; the message says so.
    package var othersCount = 0
    /// Where in a structured text: `$.bundles[2].urls`.
    package var path: String?
    package let notes: [Note]
    /// The way out, in one line.
    package let hint: String?
    /// Changes that mend it without changing what the author meant; empty when only the author can.
    package let fix: [TextEdit]
    /// A part of the text that nobody should get to see, such as a password.
    package let secret: SourceRange?

    package init(
        _ rule: some DiagnosticRule, _ message: String, at range: SourceRange, path: String? = nil, notes: [Note] = [],
        hint: String? = nil, fix: [TextEdit] = [], secret: SourceRange? = nil
    ) {
        self.init(
            id: rule.id, severity: rule.severity, message: message, range: range, path: path, notes: notes, hint: hint,
            fix: fix, secret: secret)
    }

    /// The same finding about a text in which everything has another place.
    package func mappingRanges(_ transform: (SourceRange) -> SourceRange) -> Diagnostic {
        var mapped = Diagnostic(
            id: id, severity: severity, message: message, range: transform(range), path: path,
            notes: notes.map { Note($0.message, at: transform($0.range)) }, hint: hint,
            fix: fix.map { TextEdit(transform($0.range), $0.replacement) }, secret: secret.map(transform))
        mapped.othersCount = othersCount
        return mapped
    }

    private init(
        id: String, severity: Severity, message: String, range: SourceRange, path: String?, notes: [Note],
        hint: String?, fix: [TextEdit], secret: SourceRange?
    ) {
        self.id = id
        self.severity = severity
        self.message = message
        self.range = range
        self.path = path
        self.notes = notes
        self.hint = hint
        self.fix = fix
        self.secret = secret
    }
}

extension [Diagnostic] {
    package var hasErrors: Bool { contains { $0.severity == .error } }

    /// In the order of the text; findings about the same place stay in the order of their ids.
    package func sortedByPosition() -> [Diagnostic] {
        sorted { ($0.range.start, $0.range.end, $0.id) < ($1.range.start, $1.range.end, $1.id) }
    }
}
