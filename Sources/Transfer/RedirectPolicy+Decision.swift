extension RedirectPolicy {
    /// Judges one redirect. This is where every redirect is decided.
    /// - Parameters:
    ///   - count: how many were followed before this one.
    ///   - location: the `Location` field as it came; nil when there was none.
    /// - Returns: where to go on.
    /// - Throws: why the redirect is refused, in words.
    func target(
        of location: String?, from url: TransferURL, after count: Int, allowedSchemes: Set<String>
    ) throws(RedirectRefusal) -> TransferURL {
        let limit =
            switch self {
            case .refuse: 0
            case .sameOrigin(let limit), .follow(let limit): limit
            }
        guard limit > 0 else { throw RedirectRefusal("redirects are not allowed here") }
        guard count < limit else { throw RedirectRefusal("more than \(limit) redirects in a row") }
        guard let location else { throw RedirectRefusal("it names no location") }
        let target: TransferURL
        do { target = try url.resolving(location) } catch {
            throw RedirectRefusal("its location is unusable: \(error)")
        }
        guard allowedSchemes.contains(target.scheme) else {
            throw RedirectRefusal("it leads to the scheme '\(target.scheme)', which is not allowed")
        }
        guard url.scheme != "https" || target.scheme == "https" else { throw RedirectRefusal("it drops TLS") }
        if case .sameOrigin = self, target.origin != url.origin {
            throw RedirectRefusal("it leads to another origin, \(target.origin)")
        }
        return target.origin == url.origin ? target.withLogin(of: url) : target
    }
}

/// Why a redirect isn't followed.
struct RedirectRefusal: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
