import Diagnostics
import JSONSyntax

extension BundleDraft {
    /// The rules that look at several keys of one bundle.
    func check(at place: JSONValue, _ context: inout DecodingContext) {
        if let joinDigest, joinName == nil {
            context.report(
                .joinDigestWithoutJoin, "joinSHA256 is the digest of the joined file, but there is no \"join\"",
                at: joinDigest.place)
        }
        warnAboutMissingDigests(at: place, &context)
    }

    /// One warning for a bundle, however many files it has.
    private func warnAboutMissingDigests(at place: JSONValue, _ context: inout DecodingContext) {
        switch kind {
        case .archive, .textures, .ebook, .hls:
            guard source.digest == nil, place["sha256"] == nil else { return }
            context.report(
                .downloadWithoutDigest,
                "this download has no digest, so nobody can tell whether its bytes are the right ones",
                at: place, hint: "add \"sha256\"")
        case .segments:
            warnAboutMissingDigests(in: segments?.place, &context)
        case .files:
            warnAboutMissingDigests(in: files?.place, &context)
        case nil:
            return
        }
    }

    private func warnAboutMissingDigests(in list: JSONValue?, _ context: inout DecodingContext) {
        guard let list else { return }
        var count = 0
        var without = 0
        var first: JSONValue?
        for entry in list.elements {
            count += 1
            guard entry.kind == .object, entry["sha256"] == nil else { continue }
            without += 1
            first = first ?? entry
        }
        guard let first else { return }
        context.report(
            .downloadWithoutDigest, "\(without) of \(count) downloads have no digest; this is the first", at: first,
            hint: "add \"sha256\"")
    }

    /// The bundle; nil when something was wrong with it.
    func bundle() -> Bundle? {
        guard let id, let kind, let content = content(of: kind) else { return nil }
        return Bundle(
            id: id.value, title: title, version: version, content: content, priority: priority, isRequired: isRequired,
            after: after.map(\.value), tags: tags, headers: headers)
    }

    private func content(of kind: BundleKind) -> BundleContent? {
        switch kind {
        case .archive: .archive(packagedFile(kind))
        case .textures: .textures(packagedFile(kind))
        case .ebook: .ebook(packagedFile(kind))
        case .hls: .hls(playlist: source.source, selection)
        case .segments:
            segments.map { segments in
                let join = joinName.map { JoinedFile(filename: $0, digest: joinDigest?.value) }
                return .segments(SegmentList(segments: segments.value, join: join))
            }
        case .files: files.map { .files($0.value) }
        }
    }

    private func packagedFile(_ kind: BundleKind) -> PackagedFile {
        PackagedFile(source: source.source, filename: filename, unpack: unpack.options(for: kind))
    }
}
