import Platform
import Transfer

/// Who has bytes nearer than any mirror: a disk that somebody carried here, or another library on the same network.
package enum CourierLocation: Hashable, Sendable, CustomStringConvertible {
    case folder(path: String)
    case neighbour(TransferURL)

    /// Reads what a user writes for one: an http(s) URL, or a path.
    /// - Throws: `TransferURLError` for a URL that is none.
    package init(_ argument: String) throws(TransferURLError) {
        let lowercased = argument.lowercased()
        if lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") {
            // What is looked for stands beneath it.
            self = .neighbour(try TransferURL(argument.hasSuffix("/") ? argument : argument + "/"))
        } else {
            self = .folder(path: argument)
        }
    }

    package var description: String {
        switch self {
        case .folder(let path): escapedText(path)
        case .neighbour(let url): "\(url)"
        }
    }
}

/// What lies in a folder that `larder export` wrote.
enum CourierLayout {
    /// Written last.
    static let mark: RelativePath = "courier.json"
    static let format = "larder-courier/1"
    static let manifests: RelativePath = "manifests"
    static let files: RelativePath = "sha256"
    /// What isn't whole yet.
    static let partial: RelativePath = "partial"

    /// `sha256/ab/abcd…`: each file is called what it is.
    static func path(of digest: SHA256Digest) -> RelativePath {
        let text = "\(digest)"
        do { return try RelativePath("\(files)/\(text.prefix(2))/\(text)") } catch {
            preconditionFailure("a digest in hexadecimal is a path")
        }
    }
}
