import ContentLibrary
import JSONSyntax
import Platform

/// What another library has, as its `larder status --json` tells it.
package struct OtherLibrary: Sendable {
    /// By bundle: the digest of what its content depends on, and those of the files that were fetched for it.
    private var keys: [BundleAddress: SHA256Digest] = [:]
    private var files: [BundleAddress: Set<SHA256Digest>] = [:]

    /// One that has nothing.
    package init() {}

    /// - Throws: for what isn't such a status.
    package init(_ status: [UInt8], name: String) throws(OtherLibraryError) {
        let root: JSONValue
        do { root = try JSONDocument(status, name: name).root } catch {
            throw OtherLibraryError("\(escapedText(name)) is not JSON; larder status --json writes what is wanted")
        }
        guard root["format"]?.string == LibraryStatus.format, let manifests = root["manifests"]?.elements else {
            throw OtherLibraryError(
                "\(escapedText(name)) is no status of a library (\(LibraryStatus.format)); larder status --json writes it"
            )
        }
        for manifest in manifests {
            guard let id = manifest["id"]?.string.flatMap({ ContentID($0) }) else { continue }
            if let bundles = manifest["bundles"]?.elements { for bundle in bundles { note(bundle, of: id) } }
        }
    }

    private mutating func note(_ bundle: JSONValue, of manifest: ContentID) {
        // What it can't believe itself it hasn't got.
        guard bundle["state"]?.string != "damaged", let id = bundle["id"]?.string.flatMap({ ContentID($0) }),
            let key = bundle["key"]?.string.flatMap({ SHA256Digest(hex: $0) })
        else { return }
        let address = BundleAddress(manifest: manifest, bundle: id)
        keys[address] = key
        // An archive is not kept where it was unpacked.
        let kind = bundle["kind"]?.string
        guard kind == "files" || kind == "segments", let sources = bundle["sources"]?.elements else { return }
        files[address] = Set(sources.compactMap { $0.string.flatMap { SHA256Digest(hex: $0) } })
    }

    func has(_ content: StoredContent) -> Bool { keys[content.address.bundle] == content.header.origin.key }

    /// Whether it has the file in what it has of that bundle now, where it looks for what didn't change.
    func has(_ file: SHA256Digest, in bundle: BundleAddress) -> Bool { files[bundle]?.contains(file) ?? false }
}

/// Why something isn't the status of a library, in a line.
package struct OtherLibraryError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
