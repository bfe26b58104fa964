import Platform

/// Everything that determines what a bundle's content will be. Two bundles with the same key have the same content.
package struct StoreKey: Hashable, Sendable {
    /// One thing that is fetched for the bundle.
    package struct Source: Hashable, Sendable {
        package enum Identity: Hashable, Sendable {
            /// The bytes themselves are known.
            case sha256(SHA256Digest)
            /// No digest is known: where the bytes come from, and what the server says distinguishes them (an `ETag`, a `Last-Modified`).
            case validator(url: String, validator: String)
        }

        /// Where it goes in the bundle; empty for the one source of a bundle that is unpacked or kept whole.
        package let path: String
        package let identity: Identity

        package init(path: String = "", identity: Identity) {
            self.path = path
            self.identity = identity
        }
    }

    /// The bundle's kind, as its manifest spells it.
    package let kind: String
    /// In the order of the manifest: joined files depend on it.
    package let sources: [Source]
    /// What else the manifest says of the outcome, such as `unpack.strip` or `select.maxBandwidth`, by name.
    package let options: [String: String]
    /// Raised whenever the same input would be unpacked differently.
    package let extractorVersion: Int

    package init(kind: String, sources: [Source], options: [String: String], extractorVersion: Int) {
        self.kind = kind
        self.sources = sources
        self.options = options
        self.extractorVersion = extractorVersion
    }

    package var digest: SHA256Digest { SHA256.digest(of: encoded) }

    /// The version of a bundle whose manifest names none: 12 digits over its sources alone, because the same bytes unpacked otherwise are
    /// no new version. Of a single source with a digest they are that digest's first, which people can compare.
    package var derivedVersion: String {
        if sources.count == 1, case .sha256(let digest) = sources[0].identity { return digest.prefix(digits: 12) }
        return SHA256.digest(of: encodedSources).prefix(digits: 12)
    }

    /// The key as bytes: a sequence of netstrings (`LENGTH:BYTES,`), so that no value can be mistaken for another. In order:
    ///
    /// - `larder-content/1`, `kind`, KIND, `extractor`, VERSION;
    /// - for each source: `source`, PATH, then `sha256`, 64 HEX DIGITS, or `validator`, URL, VALIDATOR;
    /// - for each option, in the order of the names' bytes: `option`, NAME, VALUE.
    ///
    /// This must never change for what exists: every library would fetch everything again.
    var encoded: [UInt8] {
        var text = Netstrings()
        text.append("larder-content/1", "kind", kind, "extractor", String(extractorVersion))
        text.bytes += encodedSources
        for (name, value) in options.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            text.append("option", name, value)
        }
        return text.bytes
    }

    private var encodedSources: [UInt8] {
        var text = Netstrings()
        for source in sources {
            text.append("source", source.path)
            switch source.identity {
            case .sha256(let digest): text.append("sha256", digest.description)
            case .validator(let url, let validator): text.append("validator", url, validator)
            }
        }
        return text.bytes
    }
}

private struct Netstrings {
    var bytes: [UInt8] = []

    mutating func append(_ values: String...) {
        for value in values { bytes += Array("\(value.utf8.count):\(value),".utf8) }
    }
}

extension SHA256Digest {
    func prefix(digits: Int) -> String { String(description.prefix(digits)) }
}
