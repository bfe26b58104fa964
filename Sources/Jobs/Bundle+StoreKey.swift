import BundleManifest
import ContentLibrary
import Platform

/// One thing that has to be fetched for a bundle.
struct BundleSource: Sendable {
    /// Where it goes in the bundle; nil for the one source of a bundle that is unpacked or kept whole.
    let path: String?
    let file: SourceFile
}

extension Bundle {
    /// Whether this version knows how to obtain the kind.
    var isSupported: Bool {
        switch content {
        case .archive, .textures, .ebook, .files, .segments: true
        case .hls: false
        }
    }

    /// The one download of a bundle that is unpacked or kept whole.
    var package: PackagedFile? {
        switch content {
        case .archive(let file), .textures(let file), .ebook(let file): file
        case .hls, .segments, .files: nil
        }
    }

    /// Whether its download is an archive that is taken apart.
    var isUnpacked: Bool { package.map { $0.unpack.format != .none } ?? false }

    /// What has to be fetched, in the order of the manifest.
    var sources: [BundleSource] {
        switch content {
        case .archive(let file), .textures(let file), .ebook(let file): [BundleSource(path: nil, file: file.source)]
        case .files(let entries): entries.map { BundleSource(path: $0.path, file: $0.source) }
        case .segments(let list): list.segments.map { BundleSource(path: $0.path, file: $0.source) }
        case .hls: []
        }
    }

    /// The digests the manifest gives, one for each source; nil where it gives none.
    var knownDigests: [SHA256Digest?] { sources.map(\.file.digest) }

    /// Raised whenever the same archive would be unpacked differently: every library then unpacks anew.
    private static let extractorVersion = 2

    /// Everything that determines the bundle's content; nil while a digest is missing.
    func storeKey(digests: [SHA256Digest?]) -> StoreKey? {
        let known = digests.compactMap(\.self)
        let sources = sources
        guard !sources.isEmpty, known.count == sources.count else { return nil }
        return StoreKey(
            kind: kind.rawValue,
            sources: zip(sources, known).map { StoreKey.Source(path: $0.path ?? "", identity: .sha256($1)) },
            options: keyOptions, extractorVersion: Self.extractorVersion)
    }

    /// What else the manifest says of the outcome. Defaults are left out, so that writing one down changes nothing.
    private var keyOptions: [String: String] {
        if case .segments(let list) = content {
            if let join = list.join { return ["join": join.filename] }
            return ["index": "\(SegmentIndex(segments: list.segments, contents: []).optionsDigest)"]
        }
        guard let package else { return [:] }
        let unpack = package.unpack
        var options = ["unpack.format": unpack.format.rawValue]
        if unpack.format == .none { options["filename"] = package.keptName }
        if unpack.strip != 0 { options["unpack.strip"] = "\(unpack.strip)" }
        for (index, pattern) in unpack.include.enumerated() { options["unpack.include.\(index)"] = pattern }
        for (index, pattern) in unpack.exclude.enumerated() { options["unpack.exclude.\(index)"] = pattern }
        if !unpack.preservesTimes { options["unpack.preserve"] = "false" }
        return options
    }
}
