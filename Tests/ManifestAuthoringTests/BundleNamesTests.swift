import Testing

@testable import ManifestAuthoring

/// Ids that are made of file names.
@Suite struct BundleNamesTests {
    @Test(arguments: [
        ("walls-1.0", "walls-1.0"), ("Walls and Floors", "walls-and-floors"), ("__x", "x"), ("…Größe…", "gr-e"),
        ("a  -  b", "a-b"), ("a.", "a"), ("", "bundle"), ("東京", "bundle"), ("a_b", "a_b"),
        (String(repeating: "x", count: 70), String(repeating: "x", count: 64)),
    ])
    func aNameBecomesAnID(name: String, id: String) { #expect(BundleNames.slug(Array(name.utf8)) == id) }

    @Test func anIDIsGivenOnce() {
        var names = BundleNames()
        let given = ["a", "A", "a-2", "a", "b"].map { names.next(for: Array($0.utf8)) }
        #expect(given == ["a", "a-2", "a-2-2", "a-3", "b"])
        let long = Array(repeating: UInt8(ascii: "x"), count: 64)
        #expect([long, long].map { names.next(for: $0).utf8.count } == [64, 64])
    }
}
