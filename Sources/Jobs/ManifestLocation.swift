import BundleManifest
import Glibc
import Platform
import Transfer

/// Where a manifest is read from, and so what its relative URLs are relative to.
package enum ManifestLocation: Hashable, Sendable, CustomStringConvertible {
    case file(path: String)
    case remote(TransferURL)
    /// Standard input; `base` is what relative URLs resolve against, if anything.
    case standardInput(base: TransferURL?)

    /// Reads what a user writes for a manifest: `-`, an http(s) URL, or a path.
    /// - Throws: `TransferURLError` for a URL that is none.
    package init(_ argument: String, base: TransferURL? = nil) throws(TransferURLError) {
        let lowercased = argument.lowercased()
        if argument == "-" {
            self = .standardInput(base: base)
        } else if lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") {
            self = .remote(try TransferURL(argument))
        } else {
            self = .file(path: argument)
        }
    }

    package var description: String {
        switch self {
        case .file(let path): escapedText(path)
        case .remote(let url): "\(url)"
        case .standardInput: "standard input"
        }
    }

    package var isFile: Bool {
        if case .file = self { return true }
        return false
    }

    /// Whether `file` URLs in the manifest are followed: only somebody who can write local files may name them.
    package var allowsFileURLs: Bool { isFile }

    /// Where minisign puts the signature of what is here: beside it, under its name and `.minisig`. Nil for standard input.
    var signature: ManifestLocation? {
        switch self {
        case .file(let path): return .file(path: MinisignSignature.place(of: path))
        case .remote(let url):
            // A query belongs to whoever asks, such as a token.
            let end = url.text.firstIndex(of: "?") ?? url.text.endIndex
            let text = MinisignSignature.place(of: String(url.text[..<end])) + url.text[end...]
            return (try? TransferURL(text)).map { .remote($0) }
        case .standardInput: return nil
        }
    }

    /// What the manifest is called there; nil for standard input.
    var fileName: String? {
        switch self {
        case .file(let path): MinisignSignature.signedName(of: path)
        case .remote(let url): String(decoding: url.lastPathComponent, as: UTF8.self)
        case .standardInput: nil
        }
    }

    /// What relative URLs resolve against.
    package var base: TransferURL? {
        switch self {
        case .file(let path): try? TransferURL("file://" + absolutePath(path).percentEncodedPath)
        case .remote(let url): url
        case .standardInput(let base): base
        }
    }
}
