import Platform
import Testing

@testable import ContentLibrary

@Suite struct StoreKeyTests {
    private static let digest = SHA256.digest(of: "one".utf8)

    private static let key = StoreKey(
        kind: "archive",
        sources: [
            .init(identity: .sha256(digest)),
            .init(path: "a/b", identity: .validator(url: "https://a.example/é", validator: "\"v1\"")),
        ],
        options: ["unpack.strip": "1", "unpack.format": "zip"], extractorVersion: 3)

    /// Fails when the encoding changes, which would make every library fetch everything again.
    @Test func theEncodingIsPinned() {
        let text = """
            16:larder-content/1,4:kind,7:archive,9:extractor,1:3,\
            6:source,0:,6:sha256,64:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed,\
            6:source,3:a/b,9:validator,20:https://a.example/é,4:"v1",\
            6:option,13:unpack.format,3:zip,6:option,12:unpack.strip,1:1,
            """
        #expect(String(decoding: Self.key.encoded, as: UTF8.self) == text)
        #expect(Self.key.digest.description == "1d8c8806f6531baabc5d0697715675c3b426c880828a31fdc3037168cc370779")
    }

    @Test func eachPartOfTheKeyChangesTheDigest() {
        let sources = Self.key.sources
        let others = [
            StoreKey(kind: "textures", sources: sources, options: Self.key.options, extractorVersion: 3),
            StoreKey(kind: "archive", sources: sources.reversed(), options: Self.key.options, extractorVersion: 3),
            StoreKey(kind: "archive", sources: [sources[0]], options: Self.key.options, extractorVersion: 3),
            StoreKey(kind: "archive", sources: sources, options: ["unpack.strip": "1"], extractorVersion: 3),
            StoreKey(kind: "archive", sources: sources, options: Self.key.options, extractorVersion: 4),
        ]
        #expect(Set(([Self.key] + others).map(\.digest)).count == others.count + 1)
    }

    @Test func theDerivedVersionIsOfTheSourcesAlone() {
        let one = StoreKey(
            kind: "ebook", sources: [.init(identity: .sha256(Self.digest))], options: [:], extractorVersion: 1)
        let two = StoreKey(kind: "ebook", sources: one.sources, options: ["a": "b"], extractorVersion: 2)
        #expect(one.derivedVersion == "7692c3ad3540")
        #expect(two.derivedVersion == one.derivedVersion)
        #expect(Self.key.derivedVersion != one.derivedVersion)
        #expect(Self.key.derivedVersion.utf8.count == 12)
    }

    @Test(arguments: [
        ("7", "7"), ("1.2.3-beta_4", "1.2.3-beta_4"), ("Version 7 (final)", "Version-7-final-"), ("", "unnamed"),
        ("...", "unnamed"), ("../../etc", "etc"), ("ü", "unnamed"), ("a/b@c", "a-b-c"), ("\u{0}\n", "unnamed"),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 64)),
    ])
    func aVersionBecomesASafeSlug(version: String, slug: String) {
        #expect(StoreName.slug(of: version) == slug)
        let name = StoreName(version: version, digest: Self.key.digest)
        #expect(name.description == "\(slug)@\(String(Self.key.digest.description.prefix(16)))")
        #expect(StoreName(name.path.bytes) == name)
    }

    @Test(arguments: [
        "7", "7@", "@0123456789abcdef", "7@0123456789abcde", "7@0123456789abcdeg", "7@0123456789ABCDEF",
        ".7@0123456789abcdef", "a/7@0123456789abcdef", "7@0123456789abcdef.receipt", "é@0123456789abcdef", "",
    ])
    func otherNamesInTheStoreAreNotOurs(name: String) {
        #expect(StoreName(Array(name.utf8)) == nil)
    }

    @Test(arguments: ["", "A", ".a", "-a", "a/b", "a b", "é", String(repeating: "a", count: 65)])
    func whatIsNoIDIsRefused(text: String) { #expect(ContentID(text) == nil) }

    @Test(arguments: ["a", "0", "a.b_c-d", String(repeating: "a", count: 64)])
    func anIDIsOnePathComponent(text: String) { #expect(ContentID(text)?.path.description == text) }
}
