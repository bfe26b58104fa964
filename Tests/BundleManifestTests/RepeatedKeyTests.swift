import BundleManifest
import Diagnostics
import JSONSyntax
import Testing

/// The tables see most repeated keys by the way; none is missed where they don't look.
@Suite struct RepeatedKeyTests {
    @Test(arguments: [
        manifest(more: #", "id": "m""#),
        manifest(more: #", "x-a": 1, "x-a": 2"#),
        manifest(more: #", "x-a": [{"b": 1, "b": 2}]"#),
        manifest(more: #", "other": {"b": 1, "b": 2}"#),
        manifest(more: #", "created": {"b": 1, "b": 2}"#),
        manifest(more: #", "created": [[{"b": 1, "b": 2}]]"#),
        manifest(more: #", "mirrors": [{"b": 1, "b": 2}]"#),
        manifest(bundles: "[\(ebook(#", "size": 1, "size": 1"#))]"),
        manifest(bundles: "[\(ebook(#", "select": {"all": true, "all": true}"#))]"),
        manifest(bundles: "[\(ebook(#", "headers": {"a": "1", "a": "2"}"#))]"),
        manifest(bundles: "[\(ebook(#", "unpack": {"limits": {"bytes": 1, "bytes": 2}}"#))]"),
        manifest(bundles: "[\(ebook(#", "unpack": {"include": {"b": 1, "b": 2}}"#))]"),
        manifest(bundles: "[\(ebook(#", "t\u0061gs": [], "tags": []"#))]"),
        manifest(bundles: files(#""a", "path": "a""#)),
        "[\(manifest(more: #", "id": "m""#))]",
    ])
    func aRepeatedKeyIsFoundWhereverItIs(_ text: String) throws {
        let all = try JSONDocument(Array(text.utf8), name: "m.json").duplicateKeys()
        #expect(all.count == 1)
        #expect(decode(text).diagnostics.filter { $0.id == JSONRule.duplicateKey.id }.map(\.range) == all.map(\.range))
    }

    @Test(arguments: RuleFixtureTests.rules)
    func theFixturesHaveNoOthers(_ rule: RuleDescription) throws {
        for name in ["accept.json", "reject.json"] {
            let bytes = try contents(of: RuleFixtureTests.folder(rule) + name)
            guard let document = try? JSONDocument(bytes, name: name) else { continue }
            let found = decode(String(decoding: bytes, as: UTF8.self)).diagnostics.filter { $0.id == "J024" }
            #expect(found.map(\.range) == document.duplicateKeys(limit: .max).map(\.range).prefix(100).map(\.self))
        }
    }
}
