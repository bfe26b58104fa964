import Downloads
import Platform
import Playlists
import Transfer

/// A file that is here, complete and proven, wherever it came from.
struct FetchedFile: Sendable {
    private enum Content: Sendable {
        case downloaded(DownloadedFile)
        case copied(LocalCopy)
    }

    private let content: Content
    let digest: SHA256Digest
    /// Where it came from, as it may be shown.
    let url: String
    /// Which of the manifest's sources that was; nil where it came from somebody else.
    let source: TransferURL?
    /// What its first server says distinguishes these bytes from later ones; nil when it says nothing, or the file came from elsewhere.
    let validator: String?
    /// Where its first byte stands in what is at the URL: above 0 where only a part was asked for.
    let start: Int64
    /// How long what is at the URL is in all; nil where nobody said.
    let wholeBytes: Int64?

    /// - Parameter part: what was asked for; nil for the whole.
    /// - Throws: when its digest wasn't taken: nobody could tell its content from others.
    init(_ file: DownloadedFile, url: String, validator: String?, part: ByteRange? = nil) throws(BundleFailure) {
        guard let digest = file.digest else {
            throw BundleFailure(.libraryFailed, "its SHA-256 was not taken", url: url)
        }
        (content, self.digest, self.url, self.validator) = (.downloaded(file), digest, url, validator)
        source = file.sourceURL
        start = part?.offset ?? 0
        wholeBytes = part == nil ? file.sizeBytes : file.wholeBytes
    }

    init(_ copy: LocalCopy, url: String, source: TransferURL? = nil) {
        (content, digest, self.url, validator) = (.copied(copy), copy.digest, url, nil)
        self.source = source
        (start, wholeBytes) = (0, copy.sizeBytes)
    }

    /// What whoever sent it says distinguishes these bytes from later ones.
    var sendersValidator: String? {
        switch content {
        case .downloaded(let file): file.validator
        case .copied: nil
        }
    }

    var descriptor: OwnedDescriptor {
        switch content {
        case .downloaded(let file): file.descriptor
        case .copied(let copy): copy.file.descriptor
        }
    }

    /// Where it came from in the end, after redirects.
    var finalURL: String {
        switch content {
        case .downloaded(let file): file.finalURL.text
        case .copied: url
        }
    }

    /// - Throws: for more than `limitBytes`.
    func bytes(limitBytes: Int) throws(BundleFailure) -> [UInt8] {
        guard sizeBytes <= limitBytes else {
            throw BundleFailure(.overBudget, "it has \(sizeBytes) bytes, more than the \(limitBytes) allowed", url: url)
        }
        var bytes = [UInt8](repeating: 0, count: Int(sizeBytes))
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try descriptor.read(into: buffer, at: 0) }
        }
        do throws(SystemError) { return Array(bytes.prefix(try result.get())) } catch { throw BundleFailure(error) }
    }

    var sizeBytes: Int64 {
        switch content {
        case .downloaded(let file): file.sizeBytes
        case .copied(let copy): copy.sizeBytes
        }
    }

    /// Whether it has these bytes of what is at the URL.
    func holds(_ range: ByteRange) -> Bool { start <= range.offset && range.end - start <= sizeBytes }

    /// Whether a length or a digest shows that nothing is missing at its end.
    var isProvenComplete: Bool {
        switch content {
        case .downloaded(let file): file.isProvenComplete
        case .copied: true
        }
    }

    /// Gives the file its place in a bundle's staging directory; a download stays where it gathered, too, for as long as this lives. Nothing
    /// is flushed: sealing does that.
    func place(at path: RelativePath, in directory: Directory) throws(SystemError) {
        if let parent = path.parent { try directory.makeDirectories(parent) }
        switch content {
        case .downloaded(let file): try file.link(to: path, in: directory)
        case .copied(let copy): try copy.file.link(to: path, in: directory)
        }
    }

    /// Moves the file to its place in a bundle's staging directory. Whoever else has the same download gets a copy.
    func move(to path: RelativePath, in directory: Directory) throws(SystemError) {
        if let parent = path.parent { try directory.makeDirectories(parent) }
        switch content {
        case .downloaded(let file): try file.take(to: path, in: directory, flush: false)
        case .copied(let copy): try copy.file.link(to: path, in: directory)
        }
    }

    /// Lets go of a download whose bytes are somewhere else by now.
    func discard() {
        if case .downloaded(let file) = content { try? file.discard() }
    }

    /// Leaves a download where the next run finds it, so that not a byte is fetched again.
    func keep() {
        if case .downloaded(let file) = content { file.keep() }
    }

    /// What was asked for.
    enum Expectation {
        case archive
        case file(named: String)
    }

    /// Refuses a page for people where none was asked for. Networks that ask for a login answer every request with one, and with status 200.
    ///
    /// Not to be asked of what has a digest: that is what it should be, whatever it looks like.
    func refuseHTMLPage(insteadOf expected: Expectation) throws(BundleFailure) {
        let due: String
        switch expected {
        case .archive: due = "the archive"
        case .file(let name):
            if HTMLPage.isDue(for: name) { return }
            due = "'\(escapedText(name))'"
        }
        guard isHTMLPage else { return }
        throw BundleFailure(
            .htmlPage, HTMLPage.found(insteadOf: due), url: url)
    }

    private var isHTMLPage: Bool {
        let head = [UInt8](unsafeUninitializedCapacity: HTMLPage.headBytes) { buffer, count in
            count = (try? descriptor.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
        }
        return HTMLPage.begins(head)
    }
}
