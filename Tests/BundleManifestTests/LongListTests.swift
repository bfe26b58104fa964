import Diagnostics
import Glibc
import JSONSyntax
import Platform
import Testing

@testable import BundleManifest

/// A list of more than a mebibyte is decoded in two halves at once. White space makes any list as long.
@Suite struct LongListTests {
    /// The bundles of all fixtures, and some that belong together.
    private static let bundles: [String] = {
        let fixtures = RuleFixtureTests.rules.filter { "SPUDLH".contains($0.id.prefix(1)) }
        let sources = fixtures.flatMap { rule in
            ["reject.json", "accept.json"].compactMap { try? contents(of: RuleFixtureTests.folder(rule) + $0) }
        }
        let documents = sources.compactMap { try? JSONDocument($0, name: "m.json") }
        let all = documents.flatMap { document in
            (document.root["bundles"]?.elements.map { String(decoding: $0.sourceBytes, as: UTF8.self) } ?? [])
                .filter { $0.utf8.count < 10_000 }
        }
        let twoSizes = [5, 6].map { ebook(", \"size\": \($0), \"size\": 7, \"after\": [\"two\", \"gone\"]", id: "one") }
        return all + twoSizes + [ebook(", \"after\": [\"one\"]", id: "two"), "7", "null", "{}", "[]"]
    }()

    @Test(arguments: [2, 3, 7, 40, 1500], [1, 2, 3, 4] as [UInt64])
    func bothHalvesTellWhatOneDecodingTells(_ count: Int, _ seed: UInt64) {
        var state = seed
        let list = (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Self.bundles[Int(state >> 33) % Self.bundles.count]
        }
        let text = list.joined(separator: ",")
        var options = ManifestDecodingOptions()
        options.tellsNotes = true
        let short = decode(manifest(bundles: "[\(text)]"), options)
        let long = decode(manifest(bundles: "[\(text)\(String(repeating: " ", count: 1 << 20))]"), options)
        #expect(!short.diagnostics.isEmpty && Self.bundles.count > 100)
        #expect(long.diagnostics == short.diagnostics)
        #expect((long.manifest == nil) == (short.manifest == nil))
    }

    @Test func whereTheSystemRefusesAThreadOneDecodesAll() throws {
        let text = "[\((0..<500).map(String.init).joined(separator: ","))\(String(repeating: " ", count: 1 << 20))]"
        let list = try JSONDocument(Array(text.utf8), name: "m.json").root
        let asked = Locked(0)
        let numbers = LongList(element: .count) { name, _ throws(SystemError) in
            asked.withLock { $0 += 1 }
            throw SystemError(code: EAGAIN, operation: "start", subject: name)
        }
        var context = DecodingContext(options: ManifestDecodingOptions())
        #expect(numbers.decode(list, &context) == Array(0..<500))
        #expect(asked.withLock { $0 } == 1)
    }
}
