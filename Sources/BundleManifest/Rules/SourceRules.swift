import Diagnostics
import JSONSyntax
import Platform

/// What the sources of all bundles tell together.
struct SourceRules {
    private let bundles: [BundleDraft]
    private let mirrorCount: Int
    /// The entries of the lists that something was found in: walking one again for each finding would take for ever.
    private var entries: [Int: [JSONValue]] = [:]

    private static let digestOfNothing = SHA256Digest(
        lowercaseHex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

    init(_ manifest: ManifestDraft) {
        bundles = manifest.bundles
        mirrorCount = manifest.mirrors.count
    }

    mutating func check(_ context: inout DecodingContext) {
        checkDigests(&context)
        checkBases(&context)
        tellSingleSources(&context)
        for bundle in bundles.indices where bundles[bundle].unpack.limits.totalBytes != nil {
            checkLimit(of: bundles[bundle], &context)
        }
    }

    // MARK: Digests and sizes

    private mutating func checkDigests(_ context: inout DecodingContext) {
        var seen: [SHA256Digest: (size: Int, bundle: Int, file: Int)] = [:]
        seen.reserveCapacity(bundles.reduce(0) { $0 + $1.sources.count })
        for bundle in bundles.indices {
            for (file, source) in bundles[bundle].sources.enumerated() {
                guard let digest = source.digest, let size = source.sizeBytes else { continue }
                if digest == Self.digestOfNothing, size > 0, let place = place(bundle, file, "sha256") {
                    context.report(
                        .digestOfNothing, "this is the digest of an empty file, and the size is \(size)",
                        at: place, hint: "take the digest again: sha256sum FILE")
                }
                guard let first = seen[digest] else {
                    seen[digest] = (size, bundle, file)
                    continue
                }
                guard first.size != size, let here = place(bundle, file, "size"),
                    let there = place(first.bundle, first.file, "size")
                else { continue }
                context.report(
                    .digestWithTwoSizes,
                    "the same digest has the size \(size) here and \(first.size) elsewhere; one of them is wrong",
                    at: here, notes: [Diagnostic.Note("it is \(first.size) here", at: there.range)])
            }
        }
    }

    private func checkLimit(of bundle: BundleDraft, _ context: inout DecodingContext) {
        guard let limit = bundle.unpack.limits.totalBytes, let size = bundle.source.sizeBytes, limit < size,
            let place = bundle.place
        else { return }
        context.report(
            .limitBelowSize, "the archive itself has \(size) bytes, and may not unpack to more than \(limit)",
            at: place["unpack"]?["limits"]?["bytes"] ?? place)
    }

    /// The value of a key of one source; nil where nobody could look it up.
    private mutating func place(_ bundle: Int, _ file: Int, _ key: String) -> JSONValue? {
        let draft = bundles[bundle]
        let list: JSONValue? =
            switch draft.kind {
            case .files: draft.files?.place
            case .segments: draft.segments?.place
            case .archive, .textures, .ebook, .hls, nil: nil
            }
        if entries[bundle] == nil { entries[bundle] = list?.elements.filter { $0.kind == .object } ?? [] }
        let found = entries[bundle] ?? []
        guard let object = found.indices.contains(file) ? found[file] : draft.place else { return nil }
        return object[key] ?? object
    }

    // MARK: Where bytes come from

    private func checkBases(_ context: inout DecodingContext) {
        guard !context.options.hasBase, mirrorCount == 0 else { return }
        let first = bundles.first { $0.sources.contains { $0.urls.contains { !$0.isAbsolute } } }
        guard let place = first?.place else { return }
        context.report(
            .nothingToResolve, "this bundle has relative URLs, and the manifest neither mirrors nor a place of its own",
            at: place, hint: "add \"mirrors\", or give --base URL")
    }

    private func tellSingleSources(_ context: inout DecodingContext) {
        guard context.options.tellsNotes else { return }
        let single = bundles.filter { $0.sources.contains(where: isSingle) }
        guard let place = single.first?.place else { return }
        context.report(
            .singleSource,
            "\(single.count) of \(bundles.count) bundles can be had from one place only; this is the first",
            at: place, hint: "a second URL, or a second mirror, helps while a server is down")
    }

    /// A relative URL is as many as there are mirrors; without any, one beside the manifest.
    private func isSingle(_ source: SourceFile) -> Bool {
        source.urls.count == 1 && (mirrorCount < 2 || source.urls[0].isAbsolute)
    }
}

extension BundleDraft {
    /// Whatever has to be fetched for it; a list has one for each of its objects.
    fileprivate var sources: Sources {
        switch kind {
        case .files: .files(files?.value ?? [])
        case .segments: .segments(segments?.value ?? [])
        case .archive, .textures, .ebook, .hls: .single(source.source)
        case nil: .files([])
        }
    }
}

/// What has to be fetched for a bundle, without a copy of a list that may have a million elements.
private enum Sources: RandomAccessCollection {
    case single(SourceFile)
    case segments([SegmentEntry])
    case files([FileEntry])

    var startIndex: Int { 0 }

    var endIndex: Int {
        switch self {
        case .single: 1
        case .segments(let segments): segments.count
        case .files(let files): files.count
        }
    }

    subscript(index: Int) -> SourceFile {
        switch self {
        case .single(let source): source
        case .segments(let segments): segments[index].source
        case .files(let files): files[index].source
        }
    }
}
