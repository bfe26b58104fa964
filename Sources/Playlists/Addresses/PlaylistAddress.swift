import Diagnostics
import Platform

/// Where a playlist was read from, and so where its URIs lead (RFC 8216 §4.1, RFC 3986 §5).
package struct PlaylistAddress: Sendable {
    private let base: URLParts
    /// For a playlist on this machine: the folder, with a final slash, that nothing it names may stand outside of.
    private let localRoot: String?

    /// - Parameter url: absolute, after redirects.
    package init(url: String) {
        base = URLParts(url)
        localRoot =
            Self.isFile(base)
            ? String(base.path.prefix(through: base.path.lastIndex(of: "/") ?? base.path.startIndex)) : nil
    }

    private init(base: URLParts, localRoot: String?) {
        self.base = base
        self.localRoot = localRoot
    }

    /// The address of a playlist that this one names: whatever that names stands beneath the same folder.
    package func naming(url: String) -> PlaylistAddress {
        PlaylistAddress(base: URLParts(url), localRoot: localRoot)
    }

    /// The absolute URL of what a URI names, without its fragment; what can't stand in a URL is percent-encoded.
    /// - Throws: for what is neither http nor https, credentials, a malformed host, and paths on this machine that weren't offered.
    package func resolve(_ uri: String) throws(AddressProblem) -> String {
        guard let encoded = URLCharacters.percentEncoded(uri), !encoded.isEmpty else {
            throw AddressProblem(uri, "it is empty, or has a backslash or a control character")
        }
        let reference = URLParts(encoded)
        var target = reference.resolved(against: base)
        target.fragment = nil
        switch target.scheme?.lowercased() {
        case "http", "https": try check(target, uri)
        case "file" where reference.scheme == nil && reference.authority == nil && localRoot != nil:
            try checkLocal(target, uri)
        case let scheme?:
            throw AddressProblem(uri, "its scheme is \(scheme.quotedForMessage()), and neither http nor https")
        case nil: throw AddressProblem(uri, "there is no base that it could be relative to")
        }
        return target.text
    }

    private func check(_ url: URLParts, _ uri: String) throws(AddressProblem) {
        let authority = url.authority ?? ""
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw AddressProblem(uri, "it has a user name or a password in it")
        }
        guard let (host, port) = URLParts.hostAndPort(of: authority), !host.isEmpty else {
            throw AddressProblem(uri, "its host is missing or malformed")
        }
        guard port.isEmpty || URLParts.isPort(port) else {
            throw AddressProblem(uri, "its port is not a number from 1 to 65535")
        }
    }

    /// Percent-encoding hides neither slashes nor dots from the file system.
    private func checkLocal(_ url: URLParts, _ uri: String) throws(AddressProblem) {
        let decoded = percentDecoded(url.path.utf8)
        let components = decoded.split(separator: UInt8(ascii: "/"))
        guard let localRoot, decoded.starts(with: percentDecoded(localRoot.utf8)), !decoded.contains(0),
            !components.contains(where: { $0.elementsEqual("..".utf8) })
        else { throw AddressProblem(uri, "it leads out of the folder of the first playlist") }
    }

    private static func isFile(_ url: URLParts) -> Bool { url.scheme?.lowercased() == "file" }
}

/// Why a URI of a playlist isn't followed.
package struct AddressProblem: Error, Hashable, CustomStringConvertible {
    private let uri: String
    private let reason: String

    init(_ uri: String, _ reason: String) {
        self.uri = uri
        self.reason = reason
    }

    package var description: String { "the URI \(shownURL(uri).quotedForMessage()) is refused: \(reason)" }
}
