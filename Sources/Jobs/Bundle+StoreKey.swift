import BundleManifest
import ContentLibrary
import Platform
import Playlists

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
        case .segments(let list):
            list.segments.map { BundleSource(path: $0.path, file: $0.source, duration: $0.duration ?? .zero) }
        case .hls(let presentation): [BundleSource(path: nil, file: presentation.playlist)]
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

    /// What a recording of the bundle is known by while it isn't complete.
    var recordingName: String {
        let urls = sources.flatMap { $0.file.urls.map(\.text) }
        let identity = [version ?? "", "\(presentationKey(digests: []).digest)"] + urls
        return "larder-recording:\(SHA256.digest(of: identity.joined(separator: "\n").utf8))"
    }

    /// What the manifest wants done with the one download, and how this program does it: a file that can't be used for this may serve another
    /// use.
    var useDigest: SHA256Digest {
        let options = keyOptions.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let limits = package.map { "\($0.unpack.limits)" } ?? ""
        return SHA256.digest(of: ([Self.planVersion, kind.rawValue, limits] + options).joined(separator: "\n").utf8)
    }

    /// What else the manifest says of the outcome. Defaults are left out, so that writing one down changes nothing.
    private var keyOptions: [String: String] {
        if case .hls(let presentation) = content { return presentation.keyOptions }
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

extension Presentation {
    fileprivate var keyOptions: [String: String] {
        var options = selection.keyOptions
        options["copy"] = "\(OfflinePlan.version)"
        if isDecrypted { options["decrypt"] = "true" }
        options["until"] = recording?.end?.rfc3339
        options["follow"] = recording?.length.map(SegmentIndex.seconds)
        // Leave to have gaps makes no other copy where there are none.
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
