import Platform

/// Gathers the head of a reply from the lines libcurl hands over: interim replies are passed over, trailers are no part of it.
struct ResponseHead {
    private(set) var status = 0
    private(set) var headers = HeaderFields()
    /// Whether the blank line behind the final head was seen.
    private(set) var isComplete = false
    private var takenBytes = 0

    private static let limitBytes = 256 << 10

    enum Step {
        case more, complete, invalid(String)
    }

    /// Takes one line, its line break included.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        guard !isComplete else { return .more }
        takenBytes += line.count
        guard takenBytes <= Self.limitBytes else { return .invalid("its head is over \(Self.limitBytes) bytes long") }
        let text = String(decoding: line, as: UTF8.self).trimmingLineBreak()
        if text.hasPrefix("HTTP/") {
            return takeStatusLine(text)
        }
        if text.isEmpty {
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete
        }
        if let colon = text.firstIndex(of: ":") {
            // A field libcurl let pass but the grammar doesn't is nothing we'd act on.
            headers.append(String(text[..<colon]), text[text.index(after: colon)...].trimmingBlanks())
        }
        return .more
    }

    private mutating func takeStatusLine(_ line: String) -> Step {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let code = Int(words[1]), (100..<600).contains(code) else {
            return .invalid("its status line is '\(escapedText(String(line.prefix(60))))'")
        }
        status = code
        headers = HeaderFields()
        return .more
    }

    /// How the end of the body will be known (RFC 9112 §6.3).
    func framing(httpMajorVersion: Int) -> BodyFraming {
        if let codings = headers.all("Transfer-Encoding").last {
            let last = codings.split(separator: ",").last.map { $0.trimmingBlanks().lowercased() }
            return last == "chunked" ? .delimited : .close
        }
        // One that can't be read tells nothing, and the connection's end proves nothing.
        if let length = headers["Content-Length"] { return decimalBytes(length) == nil ? .close : .length }
        return httpMajorVersion >= 2 || status == 204 || status == 304 ? .delimited : .close
    }
}

extension String {
    fileprivate func trimmingLineBreak() -> String {
        var bytes = utf8[...]
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}

extension Substring {
    fileprivate func trimmingBlanks() -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var bytes = utf8.drop(while: isBlank)
        while bytes.last.map(isBlank) == true { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
