import BundleManifest
import Diagnostics
import Downloads
import JSONSyntax
import Platform

/// Judges the files that a list names, and hands on those that can be in a manifest.
final class FileIntake {
    typealias Output = (ImportedFile) throws(ImportProblem) -> Void

    /// Of this list.
    private let name: String
    private let takesRelativeURLs: Bool
    private let needsDigests: Bool
    private let limitBytes: Int64
    private let observer: ImportObserver
    private let output: Output
    private var paths = ListedPaths()
    private(set) var findings = ImportFindings()
    private var count = 0
    /// What the manifest has of the files at least: of each its path, its URLs, and what stands around these.
    private var leastBytes: Int64 = 0

    private static let toldAtOnce = 256
    /// `      {"path":"","urls":[""]}` and a line end.
    private static let leastEntryBytes: Int64 = 30

    /// - Parameters:
    ///   - name: what the list is called in messages.
    ///   - takesRelativeURLs: whether there is something to resolve them against.
    ///   - needsDigests: whether it is told that one is missing; not where it will be taken.
    ///   - limitBytes: how large the manifest may become: a list may be without end.
    init(
        _ name: String, takesRelativeURLs: Bool, needsDigests: Bool, limitBytes: Int64, _ observer: ImportObserver,
        output: @escaping Output
    ) {
        self.name = name
        self.takesRelativeURLs = takesRelativeURLs
        self.needsDigests = needsDigests
        self.limitBytes = limitBytes
        self.observer = observer
        self.output = output
    }

    func note(_ remark: ImportFindings.Remark, line: Int, _ what: @autoclosure () -> String) {
        findings.note(remark, place(line), what())
    }

    func refuse(line: Int, _ why: String) { findings.refuse(place(line), why) }

    func take(_ listed: ListedFile) throws(ImportProblem) {
        count += 1
        if count.isMultiple(of: Self.toldAtOnce) { observer.didList(Self.toldAtOnce) }
        let file: ImportedFile
        do throws(Refusal) { file = try judged(listed) } catch {
            refuse(line: listed.line, error.why)
            return try hold(listed.name ?? "", listed.urls)
        }
        try hold(file.path, file.urls)
        // Whoever is refused one file wants to know of the others, though nothing is written.
        if !findings.hasRefusals { try output(file) }
    }

    /// - Throws: what was refused so far, or else `tooLarge`, where there is more than a manifest holds.
    private func hold(_ path: String, _ urls: [String]) throws(ImportProblem) {
        leastBytes += Int64(path.utf8.count) + urls.reduce(Self.leastEntryBytes) { $0 + Int64($1.utf8.count) }
        guard leastBytes > limitBytes else { return }
        try findings.checkRefusals()
        throw .tooLarge(limitBytes: limitBytes)
    }

    /// Ends the list.
    func end() throws(ImportProblem) {
        observer.didList(count % Self.toldAtOnce)
        for found in paths.folders() {
            refuse(
                line: found.beneathLine,
                "\(found.beneath.quotedForMessage()) has a folder that line \(found.fileLine) has as a file")
        }
        try findings.checkRefusals()
        guard count > 0 else { throw .invalid("\(name): it names no file") }
        for line in findings.lines { observer.warn(line) }
    }

    // MARK: One file

    private struct Refusal: Error { let why: String }

    private func place(_ line: Int) -> String { "\(name):\(line)" }

    private func judged(_ listed: ListedFile) throws(Refusal) -> ImportedFile {
        let urls = try usableURLs(of: listed)
        let path = try path(of: listed, urls)
        let size = try listed.size.map { text throws(Refusal) in try sizeBytes(text) }
        let digests = try digests(of: listed)
        let digest = digests[.sha256].flatMap { SHA256Digest(bytes: $0) }
        let others = digests.filter { $0.key != .sha256 }
        if digest == nil, needsDigests { tellMissing(others, of: path, listed.line) }
        return ImportedFile(
            path: path, urls: urls, local: listed.local, sizeBytes: size ?? listed.local?.sizeBytes, digest: digest,
            otherDigests: others, notes: listed.notes.map { ImportedFile.Note(key: $0.key, value: $0.value) },
            place: place(listed.line))
    }

    private func usableURLs(of listed: ListedFile) throws(Refusal) -> [String] {
        var urls = listed.local.map { [$0.url] } ?? []
        var known = Set(urls)
        var why: String?
        for text in listed.urls {
            if SourceURL.isForPeers(text) {
                note(.peers, line: listed.line, "what is fetched from peers is left out: a magnet link or a torrent")
                why = why ?? "its torrent is no source that Larder can fetch it from"
                continue
            }
            do throws(SourceURL.Refusal) {
                let url = try SourceURL.usable(text, takesRelative: takesRelativeURLs)
                if known.insert(url).inserted { urls.append(url) }
            } catch {
                note(error.isPassword ? .password : .unusableURL, line: listed.line, "\(error.why); it is left out")
                why = why ?? error.why
            }
        }
        guard !urls.isEmpty else {
            let file = listed.name.map { "\($0.quotedForMessage()) has" } ?? "there is"
            throw Refusal(why: "\(file) no URL that can be used" + (why.map { ": \($0)" } ?? ""))
        }
        return urls
    }

    private func path(of listed: ListedFile, _ urls: [String]) throws(Refusal) -> String {
        guard let name = listed.name else {
            guard let name = safeFileName(SourceURL.name(in: urls[0])) ?? listed.fallbackName else {
                throw Refusal(why: "\(shownURL(urls[0])) names no file")
            }
            let wanted = PortableNames.composed((listed.folder ?? "") + name)
            try check(wanted)
            let path = paths.takeUnique(wanted, line: listed.line)
            if path != wanted {
                note(
                    .renamed, line: listed.line,
                    "\(wanted.quotedForMessage()) is there already: this one is called \(path.quotedForMessage())")
                try check(path)
            }
            return path
        }
        let path = PortableNames.composed(name)
        try check(path)
        switch paths.take(path, line: listed.line) {
        case .same(let line)?: throw Refusal(why: "\(path.quotedForMessage()) is in line \(line) already")
        case .alike(let line)?:
            note(
                .sameWhereCaseDoesNotCount, line: listed.line,
                "\(path.quotedForMessage()) is the same name as in line \(line) where case doesn't count")
        case nil: break
        }
        return path
    }

    private func check(_ path: String) throws(Refusal) {
        do throws(Problem) { try PathRules.check(path: path) } catch {
            throw Refusal(why: error.message + (error.hint.map { " (\($0))" } ?? ""))
        }
    }

    private func sizeBytes(_ text: String) throws(Refusal) -> Int64 {
        guard let size = decimal(text) else {
            throw Refusal(
                why: "the size \(text.quotedForMessage()) is no number of bytes up to \(JSONValue.largestInteger)")
        }
        return size
    }

    private func digests(of listed: ListedFile) throws(Refusal) -> [DigestAlgorithm: [UInt8]] {
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        for (name, hex) in listed.digests {
            guard let algorithm = DigestAlgorithm(named: name) else {
                note(.digest, line: listed.line, "a digest by \(name.quotedForMessage()) is left out")
                continue
            }
            guard let bytes = hexBytes(hex), bytes.count == algorithm.digestBytes else {
                throw Refusal(
                    why:
                        "the \(algorithm.rawValue) \(hex.quotedForMessage()) isn't \(2 * algorithm.digestBytes) hexadecimal digits"
                )
            }
            guard digests.updateValue(bytes, forKey: algorithm) ?? bytes == bytes else {
                throw Refusal(why: "it has two different digests by \(algorithm.rawValue)")
            }
        }
        return digests
    }

    private func tellMissing(_ others: [DigestAlgorithm: [UInt8]], of path: String, _ line: Int) {
        if let strongest = others.keys.max() {
            note(
                .weakDigest, line: line,
                "\(path.quotedForMessage()) has no SHA-256: its \(strongest.rawValue) is kept as x-\(strongest.rawValue), and nobody will check it"
            )
        } else {
            note(
                .noDigest, line: line,
                "\(path.quotedForMessage()) has no digest: nobody can tell wrong bytes from right ones")
        }
    }
}
