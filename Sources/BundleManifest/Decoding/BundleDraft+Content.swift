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
        checkRecording(&context)
        checkPaths(&context)
        checkSizes(at: place, &context)
        if kind.map(BundleKinds.singleSource.contains) == true { context.add(source, at: place) }
        context.sources.endBundle(at: place)
        warnAboutMissingDigests(at: place, &context)
    }

    private func checkRecording(_ context: inout DecodingContext) {
        if let now = context.options.now, let end, end.value <= now {
            context.report(
                .recordingOver, "the time until which it was to be followed has passed", at: end.place,
                hint: "raise \"until\", or leave it out for a presentation that has an end")
        }
        if let gaps, !isRecording {
            context.report(
                .gapsWithoutRecording, "gaps are those of a recording, but there is neither \"until\" nor \"follow\"",
                at: gaps.place)
        }
    }

    /// Files that can't stand beside each other.
    private func checkPaths(_ context: inout DecodingContext) {
        switch kind {
        case .files:
            guard let files else { return }
            checkPaths(files.value.lazy.map(\.path), in: files.place, &context)
        case .segments:
            guard let segments else { return }
            checkPaths(segments.value.lazy.map(\.path), in: segments.place, joined: joinName, &context)
            SegmentRules(segments).check(&context)
        case .archive, .textures, .ebook, .hls, nil:
            return
        }
    }

    private func checkPaths(
        _ paths: some Collection<String>, in list: JSONValue, joined: Located<String>? = nil,
        _ context: inout DecodingContext
    ) {
        // The joined file comes last, so it is the one that collides.
        let collisions = OutputPaths.collisions(among: paths, and: joined?.value)
        guard !collisions.isEmpty else { return }
        let places = list.elements.filter { $0.kind == .object }.map { $0["path"] } + [joined?.place]
        for collision in collisions {
            guard let first = places[collision.first], let again = places[collision.again] else { continue }
            context.report(
                collision.rule,
                "the path \((again.string ?? "").quotedForMessage()) \(Self.described(collision.rule))", at: again,
                notes: [
                    Diagnostic.Note(
                        collision.rule == .caseCollision ? "this is the other one" : "it collides with this one",
                        at: first.range)
                ])
        }
    }

    private static func described(_ collision: ManifestRule) -> String {
        switch collision {
        case .repeatedPath: "appears again"
        case .caseCollision: "can't stand beside another one where case is ignored"
        default: "is both a file and a folder"
        }
    }

    /// Files that are larger than some file systems take; each of a list has been looked at already.
    private func checkSizes(at place: JSONValue, _ context: inout DecodingContext) {
        guard let kind else { return }
        if let limit = unpack.limits.totalBytes, let size = source.sizeBytes, limit < size {
            context.report(
                .limitBelowSize, "the archive itself has \(size) bytes, and may not unpack to more than \(limit)",
                at: place["unpack"]?["limits"]?["bytes"] ?? place)
        }
        if BundleKinds.packaged.contains(kind), (unpack.format ?? kind.defaultUnpackFormat) == UnpackFormat.none {
            ValueType<Int>.checkFileSize(source.sizeBytes, at: place["size"], &context)
        }
        guard kind == .segments, let joinName, let segments else { return }
        let bytes = segments.value.reduce(0) { sum, segment in
            let (sum, isTooLarge) = sum.addingReportingOverflow(segment.source.sizeBytes ?? 0)
            return isTooLarge ? .max : sum
        }
        ValueType<Int>.checkFileSize(bytes, at: joinName.place, &context)
    }

    /// One finding for a bundle, however many files it has.
    private func warnAboutMissingDigests(at place: JSONValue, _ context: inout DecodingContext) {
        switch kind {
        case .hls:
            guard source.digest == nil, place["sha256"] == nil else { return }
            context.report(
                .presentationWithoutDigest,
                "this presentation has no digest, so only its servers tell whether it is the right one", at: place,
                hint: isRecording
                    ? nil
                    : "if its playlist never changes, add the playlist's \"sha256\"; no digest covers what it names")
        case .archive, .textures, .ebook:
            guard source.digest == nil, place["sha256"] == nil else { return }
            context.report(
                .downloadWithoutDigest,
                "this download has no digest, so nobody can tell whether its bytes are the right ones",
                at: place, hint: "add \"sha256\"")
        case .segments:
            guard let segments, segments.value.contains(where: { $0.source.digest == nil }) else { return }
            warnAboutMissingDigests(in: segments.place, &context)
        case .files:
            guard let files, files.value.contains(where: { $0.source.digest == nil }) else { return }
            warnAboutMissingDigests(in: files.place, &context)
        case nil:
            return
        }
    }

    private func warnAboutMissingDigests(in list: JSONValue, _ context: inout DecodingContext) {
        let entries = list.elements.filter { $0.kind == .object }
        // A digest that is there but wrong has been reported already.
        let without = entries.filter { $0["sha256"] == nil }
        guard let first = without.first else { return }
        context.report(
            .downloadWithoutDigest, "\(without.count) of \(entries.count) downloads have no digest; this is the first",
            at: first,
            hint: "add \"sha256\"")
    }

    /// Nil when something is missing; that has been reported.
    var bundle: Bundle? {
        guard let id, let content = kind.flatMap(content) else { return nil }
        return Bundle(
            id: id, title: title, version: version, content: content, priority: priority, isRequired: isRequired,
            after: after.map(\.value), tags: tags, headers: headers)
    }

    /// Nil without the list that the kind has.
    private func content(of kind: BundleKind) -> BundleContent? {
        switch kind {
        case .archive: .archive(packagedFile(kind))
        case .textures: .textures(packagedFile(kind))
        case .ebook: .ebook(packagedFile(kind))
        case .hls: .hls(presentation)
        case .segments:
            segments.map { segments in
                let join = joinName.map { JoinedFile(filename: $0.value, digest: joinDigest?.value) }
                return .segments(SegmentList(segments: segments.value, join: join))
            }
        case .files: files.map { .files($0.value) }
        }
    }

    private var isRecording: Bool { end != nil || length != nil }

    private var presentation: Presentation {
        Presentation(
            playlist: source.source, selection: selection,
            recording: isRecording
                ? Presentation.Recording(end: end?.value, length: length, mayHaveGaps: gaps?.value ?? false) : nil,
            isDecrypted: isDecrypted)
    }

    private func packagedFile(_ kind: BundleKind) -> PackagedFile {
        PackagedFile(source: source.source, filename: filename, unpack: unpack.options(for: kind))
    }
}
