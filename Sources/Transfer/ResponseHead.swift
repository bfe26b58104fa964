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
        let text = line.trimmed { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        if text.first == UInt8(ascii: "H"), text.starts(with: "HTTP/".utf8) {
            return takeStatusLine(text)
        }
        if text.isEmpty {
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete
        }
        if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            // A field libcurl let pass but the grammar doesn't is nothing we'd act on.
            let value = text[(colon + 1)...].drop(while: isBlank).trimmed(isBlank)
            headers.append(String(decoding: text[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return .more
    }

    private mutating func takeStatusLine(_ line: some Collection<UInt8>) -> Step {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, let code = Int(String(decoding: words[1], as: UTF8.self)), (100..<600).contains(code)
        else {
            return .invalid("its status line is '\(escapedText(line.prefix(60)))'")
        }
        status = code
        headers = HeaderFields()
        return .more
    }

    /// How the end of the body will be known (RFC 9112 §6.3).
    func framing(httpMajorVersion: Int) -> BodyFraming {
        if let codings = headers.all("Transfer-Encoding").last {
            let last = codings.utf8.split(separator: UInt8(ascii: ",")).last.map {
                $0.drop(while: isBlank).trimmed(isBlank)
            }
            return last.map { String(Substring($0)).lowercased() } == "chunked" ? .delimited : .close
        }
        // One that can't be read tells nothing, and the connection's end proves nothing.
        if let length = headers["Content-Length"] { return decimalBytes(length) == nil ? .close : .length }
        return httpMajorVersion >= 2 || status == 204 || status == 304 ? .delimited : .close
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

extension BidirectionalCollection<UInt8> {
    /// Without the bytes at its end for which `isUnwanted` holds.
    fileprivate func trimmed(_ isUnwanted: (UInt8) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, isUnwanted(self[index(before: end)]) { formIndex(before: &end) }
        return self[..<end]
    }
}
