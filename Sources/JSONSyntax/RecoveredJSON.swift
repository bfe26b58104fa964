import Diagnostics

/// What can be read of a text in spite of its syntax errors, because each of them either has a fix, or leaves no doubt about what belongs to
/// what. Findings about it are told beside the errors, and so all in one run.
package struct RecoveredJSON {
    /// Of the text with all fixes applied.
    package let document: JSONDocument
    private let edits: [TextEdit]
    /// Values that the remaining errors are in. Nothing that is found about them can be trusted.
    private let doubtful: [SourceRange]

    /// Errors inside one value, or between two, which have no fix.
    private static let harmless: Set<String> = Set(
        [JSONRule.comment, .badNumber, .badEscape, .loneSurrogate, .notUTF8, .controlCharacter].map(\.rawValue))

    /// - Returns: nil where the structure of the text is only guessed.
    package init?(_ error: JSONSyntaxError, limits: JSONLimits) {
        edits = [TextEdit](compatible: error.diagnostics.map(\.fix))
        let bytes = error.source.bytes.applying(edits)
        var parser = JSONParser(bytes, limits: limits)
        parser.parse()
        guard parser.open.isEmpty, !parser.nodes.isEmpty, parser.errors.count < limits.errors,
            parser.errors.allSatisfy({ Self.harmless.contains($0.id) })
        else { return nil }
        let document = JSONDocument(SourceText(name: error.source.name, bytes: bytes), nodes: parser.nodes)
        var doubtful: [SourceRange] = []
        for finding in parser.errors where finding.id != JSONRule.comment.rawValue {
            guard let node = document.node(around: finding.range.start), !document.isKey(node) else { return nil }
            doubtful.append(node.range)
        }
        self.document = document
        self.doubtful = doubtful
    }

    /// Findings about the document, as findings about the text that it was made of.
    package func findings(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.filter { diagnostic in
            !doubtful.contains { $0.start < diagnostic.range.end && diagnostic.range.start < $0.end }
        }.map { $0.mappingRanges { SourceRange(start: original($0.start), end: original($0.end)) } }
    }

    /// Where a byte was before the fixes; what they put in stands for the place where they did.
    private func original(_ offset: Int) -> Int {
        var shift = 0
        for edit in edits {
            let start = edit.range.start + shift
            guard start < offset else { break }
            let length = edit.replacement.utf8.count
            if offset < start + length { return edit.range.start }
            shift += length - (edit.range.end - edit.range.start)
        }
        return offset - shift
    }
}

extension JSONDocument {
    /// The innermost node that holds a byte; nil where there is only white space or punctuation.
    fileprivate func node(around offset: Int) -> JSONNode? {
        var low = 0
        var high = nodes.count
        while low < high {
            let middle = (low + high) / 2
            if Int(nodes[middle].start) <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let node = nodes[low - 1]
        return offset < Int(node.end) && (node.kind == .string || node.kind == .number) ? node : nil
    }

    /// Whether a colon follows.
    fileprivate func isKey(_ node: JSONNode) -> Bool {
        source.bytes[Int(node.end)...].first { !$0.isJSONSpace } == UInt8(ascii: ":")
    }
}
