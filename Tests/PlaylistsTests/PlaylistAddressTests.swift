import Playlists
import Testing

@Suite struct PlaylistAddressTests {
    private static let address = PlaylistAddress(url: "https://cdn.example/films/a/list.m3u8?token=1")

    @Test(arguments: [
        ("seg.ts", "https://cdn.example/films/a/seg.ts"),
        ("./b/../seg.ts?x=1", "https://cdn.example/films/a/seg.ts?x=1"),
        ("../../../../etc/passwd", "https://cdn.example/etc/passwd"),
        ("..%2f..%2fetc%2fpasswd", "https://cdn.example/films/a/..%2f..%2fetc%2fpasswd"),
        ("/keys/k", "https://cdn.example/keys/k"), ("//other.example/k", "https://other.example/k"),
        ("HTTP://other.example:8080/k#part", "HTTP://other.example:8080/k"),
        ("?token=2", "https://cdn.example/films/a/list.m3u8?token=2"),
        ("HLS Video/é.ts", "https://cdn.example/films/a/HLS%20Video/%C3%A9.ts"),
        ("http://[::1]/x.ts", "http://[::1]/x.ts"),
    ])
    func uriLeadsToItsURL(_ uri: String, _ url: String) throws {
        #expect(try Self.address.resolve(uri) == url)
    }

    @Test(arguments: [
        "file:///etc/passwd", "FILE:///etc/passwd", "ftp://h/x.ts", "data:video/mp2t;base64,AAAA", "javascript:1",
        "skd://key",
        "C:\\video.ts", "C:/video.ts", "http://[::1]:0/x.ts", "http://h:99999/", "http:///x", "http:x",
        "https://me:pw@h/x", "//@h/x",
        "a\nb", "a\u{0}", "", "http://[::1/x",
    ])
    func hostileURIIsRefused(_ uri: String) {
        #expect(throws: AddressProblem.self) { try Self.address.resolve(uri) }
    }

    @Test func refusalShowsNoControlCharacters() throws {
        let problem = #expect(throws: AddressProblem.self) { try Self.address.resolve("x\u{1B}[2J") }
        #expect(problem?.description.contains("\u{1B}") == false)
    }

    @Test func localPlaylistReachesWhatStandsBesideTheFirstOneOnly() throws {
        let master = PlaylistAddress(url: "file:///srv/film%20a/master.m3u8")
        let media = master.naming(url: try master.resolve("v/index.m3u8"))
        #expect(try media.resolve("../keys/k1.key") == "file:///srv/film%20a/keys/k1.key")
        #expect(try media.resolve("https://cdn.example/x.ts") == "https://cdn.example/x.ts")
        for uri in [
            "../../x", "/etc/passwd", "file:///srv/film%20a/x", "file:/srv/film%20a/x", "..%2f..%2fx",
            "%2e%2e/%2e%2e/x", "//h/srv/film%20a/x",
            "a%00b",
        ] {
            #expect(throws: AddressProblem.self, "\(uri)") { try media.resolve(uri) }
        }
    }
}
