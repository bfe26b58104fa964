import Archives
import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Platform
import Transfer

/// One walk over the downloads of a manifest. One file is open at a time, and read in pieces.
struct DeepPass {
    private let manifest: BundleID
    private let bases: SourceBases
    private let folder: TransferURL?
    private let library: LibraryLook?
    private let isStopped: @Sendable () -> Bool
    private var findings = Findings()
    private var unopened: (count: Int, first: JSONValue)?

    /// - Parameter folder: what relative URLs of a local manifest stand beside.
    init(
        manifest: BundleID, bases: SourceBases, folder: TransferURL?, library: LibraryLook?,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        (self.manifest, self.bases, self.folder, self.library) = (manifest, bases, folder, library)
        self.isStopped = isStopped
    }

    mutating func check(_ bundle: PlacedBundle) {
        let holding = library?.holding(of: bundle.bundle, in: manifest)
        if let holding { compare(bundle, with: holding) }
        let isCopied = holding.map { play(bundle, $0) } ?? false
        let join = joining(bundle)
        var joined = join.map { _ in SHA256() }
        for download in bundle.downloads where !isStopped() {
            var (isOpened, isMissing) = (false, false)
            for source in localSources(download) where !isStopped() {
                guard let file = open(source) else {
                    isMissing = isMissing || source.isHere
                    continue
                }
                // The digest of the joined file is that of one source each.
                let isWhole = check(
                    file, of: download, at: source.place, in: bundle.bundle, joined: isOpened ? nil : joined)
                // A part of it may be in the digest: then that is of nothing.
                if !isWhole, !isOpened { joined = nil }
                isOpened = true
            }
            if let holding, let file = stored(download, of: bundle.bundle, in: holding) {
                let isWhole = check(
                    file, of: download, at: download.place, in: bundle.bundle, joined: isOpened ? nil : joined)
                if !isWhole, !isOpened { joined = nil }
                isOpened = true
            }
            if !isOpened {
                joined = nil
                // Of an unpacked archive the library has no more than the receipt, which was looked at.
                let isUnpacked = holding?.isWanted == true && bundle.bundle.isUnpacked
                if !isMissing, !isUnpacked, !isCopied { noteUnopened(download.place) }
            }
        }
        if let join, let joined, !isStopped(), case let digest = joined.finalize(), digest != join.digest {
            findings.report(
                .otherJoinedDigest, "the segments here make \(digest) when they are joined", at: join.place)
        }
    }

    mutating func finish() -> Findings {
        if let unopened {
            let what = unopened.count == 1 ? "a download is" : "\(unopened.count) downloads are"
            findings.report(
                .notOpened, "\(what) not reachable locally: not opened; this is the first", at: unopened.first)
        }
        return findings
    }

    private mutating func noteUnopened(_ place: JSONValue) {
        unopened = ((unopened?.count ?? 0) + 1, unopened?.first ?? place)
    }

    private func joining(_ bundle: PlacedBundle) -> (digest: SHA256Digest, place: JSONValue)? {
        guard case .segments(let list) = bundle.bundle.content, let digest = list.join?.digest else { return nil }
        return (digest, bundle.place["joinSHA256"] ?? bundle.place)
    }

    // MARK: Where files are

    private struct LocalSource {
        let url: TransferURL
        let place: JSONValue
        /// Whether it should be here, and nowhere else.
        let isHere: Bool
    }

    private func localSources(_ download: PlacedDownload) -> [LocalSource] {
        var sources: [LocalSource] = []
        var seen: Set<TransferURL> = []
        for (reference, place) in download.references {
            // What can't be resolved is told by those who would ask there.
            let urls = ((try? bases.urls(of: reference)) ?? []).filter { $0.scheme == "file" }
            for url in urls where seen.insert(url).inserted {
                sources.append(LocalSource(url: url, place: place, isHere: true))
            }
            if !reference.isAbsolute, let beside = try? folder?.resolving(reference.text),
                seen.insert(beside).inserted
            {
                sources.append(LocalSource(url: beside, place: place, isHere: false))
            }
        }
        return sources
    }

    /// - Returns: nil where it can't be opened, which is told if it should be here.
    private mutating func open(_ source: LocalSource) -> LocalFile? {
        do throws(LocalFile.Absence) { return try LocalFile(path: source.url.localPath) } catch {
            if source.isHere { findings.report(.localFileMissing, "\(source.url): \(error)", at: source.place) }
            return nil
        }
    }

    /// What the library has of a download as it was fetched, and not unpacked.
    private func stored(_ download: PlacedDownload, of bundle: Bundle, in holding: LibraryLook.Holding) -> LocalFile? {
        guard holding.isWanted, !bundle.isUnpacked else { return nil }
        return (download.path ?? bundle.package?.keptName).flatMap { try? holding.file(at: $0) }
    }

    // MARK: What they are

    /// Compares what was fetched for the library with what the manifest says now.
    private mutating func compare(_ bundle: PlacedBundle, with holding: LibraryLook.Holding) {
        let sources = holding.receipt.sources
        guard sources.count == bundle.downloads.count else { return }
        // The same files in another order are the same content.
        let sizes = Dictionary(sources.map { ($0.sha256, $0.sizeBytes) }, uniquingKeysWith: { first, _ in first })
        for download in bundle.downloads {
            guard let digest = download.file.digest else { continue }
            if let sizeBytes = sizes[digest] {
                guard let size = download.file.sizeBytes, size != sizeBytes else { continue }
                findings.report(
                    .otherSizeHere,
                    "the library has this digest with \(sizeBytes) bytes, and the manifest says \(size)",
                    at: download.place["size"] ?? download.place)
            } else if let version = bundle.bundle.version, version == holding.receipt.header.origin.version {
                let place = bundle.place["version"] ?? bundle.place
                let message =
                    "the library has version \(version.quotedForMessage()) of \"\(bundle.bundle.id)\" with other content"
                findings.append(
                    Diagnostic(
                        ManifestRule.versionReused, message, at: place.markedRange, hint: "give it another version"),
                    at: place)
                return
            }
        }
    }

    /// Looks whether the copy of a presentation plays.
    /// - Returns: whether it is one.
    private mutating func play(_ bundle: PlacedBundle, _ holding: LibraryLook.Holding) -> Bool {
        guard case .hls = bundle.bundle.content else { return false }
        do {
            // What is odd and plays all the same was told when it was copied.
            try PlaylistVerdict.check(try holding.content.open()) { _ in }
        } catch {
            findings.report(
                .copyUnplayable, "the copy in the library can't be played: \(error)",
                at: bundle.place["id"] ?? bundle.place)
        }
        return true
    }

    /// - Returns: whether it could be read.
    private mutating func check(
        _ file: LocalFile, of download: PlacedDownload, at place: JSONValue, in bundle: Bundle, joined: SHA256?
    ) -> Bool {
        if let size = download.file.sizeBytes, size != file.sizeBytes {
            findings.report(
                .otherSizeHere, "\(file.name) has \(file.sizeBytes) bytes, and the manifest says \(size)", at: place)
        }
        do throws(SystemError) {
            if download.file.digest != nil || joined != nil {
                let digest = try file.digest(into: joined, isStopped: isStopped)
                if let digest, let expected = download.file.digest, digest != expected {
                    findings.report(
                        .otherDigestHere, "the SHA-256 of \(file.name) is \(digest), and the manifest has another",
                        at: place, hint: "write the file's own, if it is the right one")
                }
            }
            look(into: file, try file.ends(), download, at: place, bundle)
            return true
        } catch {
            findings.report(.localFileMissing, "\(file.name): \(error)", at: place)
            return false
        }
    }

    private mutating func look(
        into file: LocalFile, _ ends: FileEnds, _ download: PlacedDownload, at place: JSONValue, _ bundle: Bundle
    ) {
        let problems: [FileProblem]
        let name = download.path ?? bundle.package?.keptName ?? download.file.urls[0].text
        if let package = bundle.package, bundle.isUnpacked {
            let isTextures = bundle.kind == .textures
            problems =
                ArchiveCheck(file: file, package: package, holdsImages: isTextures, isStopped: isStopped).problems()
        } else if EPUBCheck.isDue(for: name) {
            problems = EPUBCheck.problems(of: file, isStopped: isStopped)
        } else {
            let look = FormatLook(ends, path: name, label: file.name, isSegment: bundle.kind == .segments)
            problems = look.problem.map { [$0] } ?? []
        }
        for problem in problems {
            findings.report(problem.rule, problem.message, at: download.place(of: problem.subject) ?? place)
        }
    }
}

extension PlacedDownload {
    /// What a problem is about, where that isn't one of the URLs.
    fileprivate func place(of subject: FileProblem.Subject) -> JSONValue? {
        switch subject {
        case .source: nil
        case .option(let key): place["unpack"]?[key]
        case .pattern(let key, let index): place["unpack"]?[key]?.elements.dropFirst(index).first { _ in true }
        }
    }
}

extension TransferURL {
    fileprivate var localPath: String { String(decoding: decodedPath, as: UTF8.self) }
}
