import Platform

/// What a content directory holds and where it came from: the truth that `verify` checks the disk against.
///
/// Sources and entries are in a fixed order, so that the same content always has the same receipt but for its time.
package struct Receipt: Hashable, Sendable {
    package let header: Header
    /// In the order of the manifest.
    package let sources: [Source]
    /// In the order of the paths' bytes.
    package let entries: [Entry]

    /// What can be told of a bundle without reading through its files.
    package struct Header: Hashable, Sendable {
        package let origin: Origin
        package let sourceCount: Int
        package let entryCount: Int
        /// The sizes of all files together.
        package let contentBytes: Int64
    }

    /// What the caller knows of the bundle.
    package struct Origin: Hashable, Sendable {
        package let bundle: BundleAddress
        /// The manifest's `version`, or what stands for one.
        package let version: String
        package let kind: String
        package let key: SHA256Digest
        package let created: Timestamp

        package init(bundle: BundleAddress, version: String?, key: StoreKey, created: Timestamp = .now) {
            self.init(
                bundle: bundle, version: version ?? key.derivedVersion, kind: key.kind, key: key.digest,
                created: created)
        }

        init(bundle: BundleAddress, version: String, kind: String, key: SHA256Digest, created: Timestamp) {
            self.bundle = bundle
            self.version = version
            self.kind = kind
            self.key = key
            self.created = Timestamp(seconds: created.seconds)
        }

        /// Where content of this origin belongs.
        package var address: StoreAddress {
            StoreAddress(bundle: bundle, name: StoreName(version: version, digest: key))
        }
    }

    /// Something that was fetched for the bundle.
    package struct Source: Hashable, Sendable {
        /// Where it was fetched from, as ``name(ofURL:)`` has it.
        package let url: String
        package let sizeBytes: Int64
        package let sha256: SHA256Digest
        /// What the server says distinguishes these bytes from later ones, for a conditional request.
        package let validator: String?
        /// Who has sent it, where that was somebody else, and says what distinguishes it.
        package let delivery: Delivery?

        package init(
            url: String, sizeBytes: Int64, sha256: SHA256Digest, validator: String? = nil, delivery: Delivery? = nil
        ) {
            self.url = Self.name(ofURL: url)
            self.sizeBytes = sizeBytes
            self.sha256 = sha256
            self.validator = validator
            self.delivery = delivery
        }
    }

    /// Another source of the same bytes, and what it says distinguishes them from later ones.
    package struct Delivery: Hashable, Sendable {
        package let url: String
        package let validator: String

        package init(url: String, validator: String) {
            self.url = Source.name(ofURL: url)
            self.validator = validator
        }
    }

    /// Something in the content directory. Directories follow from the paths of what they hold; only empty ones are listed.
    package struct Entry: Hashable, Sendable {
        package let path: RelativePath
        package let content: Content

        package enum Content: Hashable, Sendable {
            case file(File)
            case symbolicLink(target: [UInt8])
            case emptyDirectory
        }
    }

    package struct File: Hashable, Sendable {
        package let sizeBytes: Int64
        package let mode: UInt32
        package let modified: Timestamp
        package let sha256: SHA256Digest
    }

    package init(origin: Origin, sources: [Source], entries: [Entry]) {
        let contentBytes = entries.reduce(into: Int64(0)) { sum, entry in
            guard case .file(let file) = entry.content else { return }
            // Sizes of files that are on one disk: their sum fits.
            sum &+= file.sizeBytes
        }
        header = Header(
            origin: origin, sourceCount: sources.count, entryCount: entries.count, contentBytes: contentBytes)
        self.sources = sources
        self.entries = entries
    }
}
