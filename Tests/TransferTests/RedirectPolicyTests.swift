import Testing

@testable import Transfer

/// The decision table of redirects.
@Suite struct RedirectPolicyTests {
    private static let http: Set<String> = ["http", "https"]

    @Test(
        arguments: [
            (.follow(limit: 10), "http://a.example/x", 0, "/y", "http://a.example/y"),
            (.follow(limit: 10), "http://a.example/x", 9, "y", "http://a.example/y"),
            (.follow(limit: 10), "http://a.example/x", 10, "y", nil),
            (.follow(limit: 0), "http://a.example/x", 0, "y", nil),
            (.refuse, "http://a.example/x", 0, "y", nil),
            (.follow(limit: 1), "http://a.example/x", 0, "https://a.example/x", "https://a.example/x"),
            (.follow(limit: 1), "https://a.example/x", 0, "http://a.example/x", nil),
            (.follow(limit: 1), "https://a.example/x", 0, "//b.example/", "https://b.example/"),
            (.follow(limit: 1), "https://a.example/x", 0, "?q=1", "https://a.example/x?q=1"),
            (.sameOrigin(limit: 1), "http://a.example/x", 0, "http://A.EXAMPLE:80/y", "http://a.example/y"),
            (
                .follow(limit: 1), "http://me:p%40@a.example/x", 0, "http://a.example/y?q",
                "http://me:p%40@a.example/y?q"
            ),
            (.follow(limit: 1), "http://me:p@a.example/x", 0, "http://you@a.example/y", "http://you@a.example/y"),
            (.follow(limit: 1), "http://me:p@a.example/x", 0, "http://a.example:81/y", "http://a.example:81/y"),
            (.follow(limit: 1), "http://me:p@a.example/x", 0, "https://a.example/y", "https://a.example/y"),
            (.sameOrigin(limit: 1), "http://a.example/x", 0, "http://a.example:81/y", nil),
            (.sameOrigin(limit: 1), "http://a.example/x", 0, "https://a.example/y", nil),
            (.sameOrigin(limit: 1), "http://a.example/x", 0, "http://b.example/y", nil),
            (.sameOrigin(limit: 1), "http://a.example/x", 1, "/y", nil),
            (.follow(limit: 1), "http://a.example/x", 0, "ftp://a.example/y", nil),
            (.follow(limit: 1), "http://a.example/x", 0, "javascript:alert(1)", nil),
            (.follow(limit: 1), "http://a.example/x", 0, "", nil),
            (.follow(limit: 1), "http://a.example/x", 0, nil, nil),
            (.follow(limit: 1), "http://a.example/x", 0, "/a b", nil),
        ] as [(RedirectPolicy, String, Int, String?, String?)])
    func decides(
        _ policy: RedirectPolicy, _ from: String, _ followed: Int, _ location: String?, _ target: String?
    ) throws {
        let from = try TransferURL(from)
        let decided = try? policy.target(of: location, from: from, after: followed, allowedSchemes: Self.http)
        #expect(try decided == target.map { try TransferURL($0) })
    }
}
