/// One thing to fetch, verify, unpack and publish under its id.
package struct Bundle: Sendable, Equatable {
    package let id: BundleID
    package let title: String?
    /// Free text, for people and for decisions about what is new. Nil: derived from the digest or the validators.
    package let version: String?
    package let content: BundleContent
    /// Higher goes first; 0 unless given.
    package let priority: Int
    /// Whether its failure is an error rather than a warning; true unless given.
    package let isRequired: Bool
    /// Bundles of the same manifest that must be complete before this one starts. There are no cycles.
    package let after: [BundleID]
    package let tags: [String]
    /// Extra request headers, for the listed origins only.
    package let headers: [RequestHeader]

    package var kind: BundleKind { content.kind }

    /// The same, stored in the clear if it is a presentation that is encrypted.
    package var decrypted: Bundle {
        guard case .hls(var presentation) = content else { return self }
        presentation.isDecrypted = true
        return Bundle(
            id: id, title: title, version: version, content: .hls(presentation), priority: priority,
            isRequired: isRequired, after: after, tags: tags, headers: headers)
    }
}

/// What a bundle is made of.
package enum BundleContent: Sendable, Equatable {
    case archive(PackagedFile)
    /// An archive of images.
    case textures(PackagedFile)
    case ebook(PackagedFile)
    case hls(Presentation)
    case segments(SegmentList)
    /// At least one.
    case files([FileEntry])

    package var kind: BundleKind {
        switch self {
        case .archive: .archive
        case .textures: .textures
        case .ebook: .ebook
        case .hls: .hls
        case .segments: .segments
        case .files: .files
        }
    }
}

/// The `kind` of a bundle, as manifests spell it.
package enum BundleKind: String, Sendable, CaseIterable {
    case archive, textures, ebook, hls, segments, files
}

/// One download that is unpacked, or kept whole.
package struct PackagedFile: Sendable, Equatable {
    package let source: SourceFile
    /// What the file is called when it is kept whole. Nil: the last component of the URL's path, decoded and made safe.
    package let filename: String?
    package let unpack: UnpackOptions
}

/// A header of a request, checked against header injection.
package struct RequestHeader: Sendable, Hashable {
    package let name: String
    package let value: String
}
