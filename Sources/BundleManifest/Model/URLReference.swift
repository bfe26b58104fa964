import Platform

/// A URL or a relative reference (RFC 3986), lexically sound: no control characters, no credentials, a scheme Larder knows.
package struct URLReference: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// - Precondition: `URLRules` accepted the text.
    init(checked text: String) {
        self.text = text
    }

    /// One that another document names, resolved already.
    package init(absolute text: String) { self.text = text }

    package var description: String { text }

    /// Whether it has a scheme and so needs no base.
    package var isAbsolute: Bool { URLParts.hasScheme(text) }

    /// This reference against a base (RFC 3986, section 5.2). An absolute one stays as it is, but for `.` and `..` in its path.
    package func resolved(against base: String) -> String {
        URLParts(text).resolved(against: URLParts(base)).text
    }
}
