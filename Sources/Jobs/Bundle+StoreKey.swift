import BundleManifest
import ContentLibrary
import Platform
import Playlists

/// One thing that has to be fetched for a bundle.
struct BundleSource: Sendable {
    /// Where it goes in the bundle; nil for the one source of a bundle that is unpacked or kept whole.
    let path: String?
    let file: SourceFile
}

extension Bundle {
    /// The one download of a bundle that is unpacked or kept whole.
    package var package: PackagedFile? {
        switch content {
        case .archive(let file), .textures(let file), .ebook(let file): file
        case .hls, .segments, .files: nil
        }
    }

    /// Whether its download is an archive that is taken apart.
    package var isUnpacked: Bool { package.map { $0.unpack.format != .none } ?? false }

    /// What has to be fetched, in the order of the manifest, as far as that tells it: a playlist names more.
    var sources: [BundleSource] {
        switch content {
        case .archive(let file), .textures(let file), .ebook(let file): [BundleSource(path: nil, file: file.source)]
        case .files(let entries): entries.map { BundleSource(path: $0.path, file: $0.source) }
        case .segments(let list): list.segments.map { BundleSource(path: $0.path, file: $0.source) }
        case .hls(let playlist, _): [BundleSource(path: nil, file: playlist)]
        }
    }

    /// The digests the manifest gives, one for each source; nil where it gives none.
    package var knownDigests: [SHA256Digest?] { sources.map(\.file.digest) }

    /// Raised whenever the same archive would be unpacked differently: every library then unpacks anew.
    private static let extractorVersion = 2

    /// Changes whenever the same manifest may ask for other content.
    static let planVersion = "\(extractorVersion).\(OfflinePlan.version)"

    /// Whether servers have to be asked before anybody knows that what is here is what the manifest asks for.
    var needsAsking: Bool {
        if case .hls = content { return true }
        return knownDigests.contains(nil)
    }

    /// Everything that determines the bundle's content; nil while a digest is missing.
    package func storeKey(digests: [SHA256Digest?]) -> StoreKey? {
        let known = digests.compactMap(\.self)
        let sources = sources
        guard !sources.isEmpty, known.count == sources.count else { return nil }
        return StoreKey(
            kind: kind.rawValue,
            sources: zip(sources, known).map { StoreKey.Source(path: $0.path ?? "", identity: .sha256($1)) },
            options: keyOptions, extractorVersion: Self.extractorVersion)
    }

    /// The key of an HLS presentation, which depends on all that was fetched for it.
    func presentationKey(digests: [SHA256Digest]) -> StoreKey {
        StoreKey(
            kind: kind.rawValue, sources: digests.map { StoreKey.Source(identity: .sha256($0)) }, options: keyOptions,
            extractorVersion: Self.extractorVersion)
    }

    /// What else the manifest says of the outcome. Defaults are left out, so that writing one down changes nothing.
    private var keyOptions: [String: String] {
        if case .hls(_, let selection) = content {
            return selection.keyOptions.merging(["copy": "\(OfflinePlan.version)"]) { $1 }
        }
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

extension Selection {
    fileprivate var keyOptions: [String: String] {
        var options: [String: String] = [:]
        options["select.minBandwidth"] = minBandwidth.map(String.init)
        options["select.maxBandwidth"] = maxBandwidth.map(String.init)
        options["select.resolution"] = resolution.map { "\($0.width)x\($0.height)" }
        options["select.frameRate"] = frameRate.map { "\($0)" }
        for (name, values) in [("codecs", codecs), ("audio", audio), ("subtitles", subtitles)] where !values.isEmpty {
            options["select.\(name)"] = values.joined(separator: ",")
        }
        if takesAll { options["select.all"] = "true" }
        return options
    }
}
