import BundleManifest
import Platform
import Testing

@testable import Jobs

@Suite struct BundleStoreKeyTests {
    private let digest = SHA256.digest(of: Array("content".utf8))

    private func key(_ text: String) throws -> String? {
        try bundles(text)[0].storeKey(digests: [digest])?.digest.description
    }

    private func archive(_ more: String) -> String {
        #"{"id": "a", "kind": "archive", "urls": ["a.zip"]\#(more.isEmpty ? "" : ", " + more)}"#
    }

    @Test(arguments: [
        #""unpack": {"format": "zip"}"#, #""unpack": {"strip": 1}"#, #""unpack": {"include": ["*.png"]}"#,
        #""unpack": {"exclude": ["*.png"]}"#, #""unpack": {"include": ["a", "b"]}"#,
        #""unpack": {"include": ["b", "a"]}"#, #""unpack": {"preserve": false}"#, #""unpack": {"format": "none"}"#,
    ])
    func whateverChangesTheContentChangesTheKey(options: String) throws {
        let keys = try ["", options].map { try key(archive($0)) }
        #expect(keys[0] != nil && keys[1] != nil && keys[0] != keys[1])
    }

    @Test(arguments: [
        #""unpack": {"format": "auto"}"#, #""unpack": {"strip": 0}"#, #""unpack": {"include": []}"#,
        #""unpack": {"preserve": true}"#, #""unpack": {"limits": {"entries": 5}}"#, #""title": "A""#,
        #""priority": 3"#, #""tags": ["x"]"#, #""size": 7"#,
    ])
    func whatDoesNotChangeTheContentDoesNotChangeTheKey(options: String) throws {
        #expect(try key(archive(options)) == key(archive("")))
    }

    @Test func theKindAndTheNameOfAWholeFileMatter() throws {
        let whole = #""unpack": {"format": "none"}"#
        let keys = [
            try key(archive(whole)), try key(archive(whole + #", "filename": "b.zip""#)), try key(book("a")),
            try key(archive("").replacing("archive", with: "textures")),
        ]
        #expect(Set(keys.compactMap(\.self)).count == 4)
    }

    @Test func aMissingDigestMeansNoKey() throws {
        #expect(try bundles(archive(""))[0].storeKey(digests: [nil]) == nil)
        #expect(try bundles(archive(""))[0].knownDigests == [nil])
    }
}
