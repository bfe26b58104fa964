/// Something that can be downloaded: a representation and its validators, served as RFC 9110 asks, but for what is told otherwise.
package struct Resource: Sendable {
    /// How `Range` and `If-Range` fields are taken.
    package enum RangeSupport: Sendable {
        /// RFC 9110 §14.2 and §13.1.5.
        case honoured
        /// Every answer is a 200 with the whole body.
        case ignored
        /// So is every answer to a request with an `If-Range`, be it right or not.
        case ignoredIfConditional
        /// 206, whatever the `If-Range` says.
        case honouredUnconditionally
        /// Honoured, but where a 416 is due comes a 200 with the whole body.
        case wholePastTheEnd
    }

    /// A body compressed by the server on the fly.
    package struct Encoding: Sendable {
        package var name: String
        package var body: Content
        /// Sent to clients that never asked for it, too.
        package var isForced: Bool

        /// gzip, of stored blocks.
        package static func gzip(_ bytes: [UInt8], isForced: Bool = false) -> Encoding {
            Encoding(name: "gzip", body: .bytes(storedGzip(bytes)), isForced: isForced)
        }
    }

    package var content: Content
    package var etag: String?
    package var lastModified: String?
    /// Further header fields of every 200, 206 and 304.
    package var headers: Headers
    package var ranges = RangeSupport.honoured
    package var encoding: Encoding?
    /// The `Authorization` without which there is nothing but a 401.
    package var requiredAuthorization: String?
    /// A last change to every reply.
    package var alter: @Sendable (Request, Reply) -> Reply = { $1 }

    /// - Parameters:
    ///   - etag: with its quotes, and `W/` if it is weak.
    ///   - lastModified: an HTTP date.
    package init(
        _ content: Content, etag: String? = "\"v1\"", lastModified: String? = "Thu, 01 Jan 2026 00:00:00 GMT",
        headers: Headers = ["Content-Type": "application/octet-stream"]
    ) {
        self.content = content
        self.etag = etag
        self.lastModified = lastModified
        self.headers = headers
    }

    package func changed(_ change: (inout Resource) -> Void) -> Resource {
        var resource = self
        change(&resource)
        return resource
    }

    package func ranges(_ support: RangeSupport) -> Resource { changed { $0.ranges = support } }
    package func requiring(authorization: String) -> Resource { changed { $0.requiredAuthorization = authorization } }
    package func encoded(_ encoding: Encoding) -> Resource { changed { $0.encoding = encoding } }
    package func altered(_ alter: @escaping @Sendable (Request, Reply) -> Reply) -> Resource {
        changed { $0.alter = alter }
    }

    /// What this resource answers.
    package func reply(to request: Request) -> Reply { alter(request, plainReply(to: request)) }

    private func plainReply(to request: Request) -> Reply {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .errorPage(405, ["Allow": "GET, HEAD"])
        }
        if let requiredAuthorization, request["Authorization"] != requiredAuthorization {
            return .errorPage(401, ["WWW-Authenticate": "Basic realm=\"test\""])
        }
        if isUnmodified(for: request) { return described(.status(304)) }
        if let encoding, encoding.isForced || accepts(encoding.name, request) {
            return described(.status(200)).header("Content-Encoding", encoding.name).body(encoding.body)
        }
        return partialReply(to: request) ?? described(.status(200)).body(content)
    }

    /// The 206 or 416 to a request for a range; `nil` if the whole is to be sent.
    private func partialReply(to request: Request) -> Reply? {
        guard request.method == "GET", ranges != .ignored, let range = request["Range"].flatMap(ByteRange.init) else {
            return nil
        }
        if let condition = request["If-Range"] {
            guard ranges != .ignoredIfConditional else { return nil }
            guard ranges == .honouredUnconditionally || holds(condition) else { return nil }
        }
        guard let part = range.resolved(lengthBytes: content.lengthBytes) else {
            return ranges == .wholePastTheEnd ? nil : .rangeNotSatisfiable(lengthBytes: content.lengthBytes)
        }
        return described(.status(206)).body(content.slice(part))
            .header("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.lengthBytes)")
    }

    private func described(_ reply: Reply) -> Reply {
        reply.changed { reply in
            reply.headers.merge(headers)
            reply.headers["ETag"] = etag
            reply.headers["Last-Modified"] = lastModified
            if ranges != .ignored { reply.headers["Accept-Ranges"] = "bytes" }
        }
    }

    /// `If-None-Match` by weak comparison, or without one `If-Modified-Since` (RFC 9110 §13.2.2), here only by equality.
    private func isUnmodified(for request: Request) -> Bool {
        guard let candidates = request["If-None-Match"] else {
            return lastModified != nil && request["If-Modified-Since"] == lastModified
        }
        guard let etag else { return false }
        return candidates == "*" || members(of: candidates).contains { opaque($0) == opaque(etag) }
    }

    /// Whether an `If-Range` holds: the same strong entity tag, or exactly the same date (RFC 9110 §13.1.5).
    private func holds(_ condition: String) -> Bool {
        let isTag = condition.hasPrefix("\"") || condition.hasPrefix("W/")
        return isTag ? condition == etag && !condition.hasPrefix("W/") : condition == lastModified
    }

    private func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }

    private func accepts(_ encoding: String, _ request: Request) -> Bool {
        members(of: request["Accept-Encoding"] ?? "").contains { $0.prefix { $0 != ";" } == encoding }
    }

    private func members(of list: String) -> [String] {
        list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
}
