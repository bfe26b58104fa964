/// A request as it came over the wire.
package struct Request: Sendable, CustomStringConvertible {
    package let method: String
    /// The request target, query and all.
    package let target: String
    package let version: String
    package let headers: Headers
    /// Which connection it came on, counted from 1: two requests with the same number shared one.
    package let connection: Int
    /// Which request for this path it is, counted from 1.
    package internal(set) var number = 0

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    package subscript(header: String) -> String? { headers[header] }

    var wantsClose: Bool { headers["Connection"]?.lowercased() == "close" || version == "HTTP/1.0" }

    package var description: String { "#\(number) \(method) \(target) [\(headers)]" }

    /// - Parameter head: request line and header fields, without the empty line at the end.
    /// - Returns: `nil` if this is no HTTP/1 request.
    init?(head: String, connection: Int) {
        // To Swift, "\r\n" is one character.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        var headers: Headers = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.add(String(line[..<colon]), String(value))
        }
        (method, target, version) = (String(words[0]), String(words[1]), String(words[2]))
        self.headers = headers
        self.connection = connection
    }
}
