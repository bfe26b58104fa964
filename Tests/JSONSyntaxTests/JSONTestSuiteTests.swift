import Diagnostics
import JSONSyntax
import Testing

/// Nicolas Seriot's JSONTestSuite, in `Tests/Corpus/json`. The first letter of a file's name says what a parser must do with it.
@Suite struct JSONTestSuiteTests {
    static let all = filesOfCorpus()

    /// Where RFC 8259 leaves the choice to the parser (`i_`), these are read: numbers are kept as they are written, so no number is too large.
    /// All other `i_` files are refused: byte order marks, UTF-16, bytes that aren't UTF-8, half surrogate pairs, 500 levels.
    static let readByChoice: Set<String> = [
        "i_number_double_huge_neg_exp.json", "i_number_huge_exp.json", "i_number_neg_int_huge_exp.json",
        "i_number_pos_double_huge_exp.json", "i_number_real_neg_overflow.json", "i_number_real_pos_overflow.json",
        "i_number_real_underflow.json", "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json",
        "i_number_very_big_negative_int.json",
    ]

    @Test func corpusIsComplete() {
        #expect(Self.all.count == 318)
        #expect(Self.readByChoice.isSubset(of: Self.all))
    }

    @Test(arguments: all)
    func decidesAsTheSuiteSays(_ name: String) throws {
        let source = SourceText(name: name, bytes: try corpusFile(name))
        let isAccepted = name.hasPrefix("y_") || Self.readByChoice.contains(name)
        do {
            _ = try JSONDocument(source)
            #expect(isAccepted)
        } catch {
            #expect(!isAccepted, "\(error)")
            #expect(!error.diagnostics.isEmpty)
            let places = error.diagnostics.map(\.range)
            #expect(places.allSatisfy { 0 <= $0.start && $0.start <= $0.end && $0.end <= source.bytes.count })
            // Whatever is found can be shown.
            let renderer = DiagnosticTextRenderer(LineIndex(source), of: error.diagnostics)
            #expect(error.diagnostics.allSatisfy { renderer.block($0).hasPrefix("\(name):") })
        }
    }

    @Test func duplicateKeysAreSyntaxButAreFound() throws {
        let bytes = try corpusFile("y_object_duplicated_key.json")
        let document = try JSONDocument(bytes, name: "twice.json")
        #expect(document.duplicateKeys().map(\.id) == ["J024"])
    }
}
