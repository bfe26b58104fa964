import Platform
import Transfer

/// The folder where partial files gather, each named by what it is going to be.
public final class ResumeStore: Sendable {
    package let directory: Directory
    /// What the names of partial files end with.
    static let suffix = ".part"

    /// Opens the store at `path`, made when missing.
    /// - Throws: `DownloadError` when it can't be opened.
    public convenience init(path: String) throws(DownloadError) {
        do { self.init(directory: try Directory.open(path, create: true)) } catch { throw DownloadError(error) }
    }

    package init(directory: Directory) { self.directory = directory }

    /// The place for a download: by digest where that is known, so that any of its mirrors can go on with it, else by URL and headers.
    func location(of plan: AttemptPlan) throws(DownloadError) -> PartialFile.Location {
        try location(plan.key, plan.digestKey)
    }

    /// How many bytes are held of what `request` asks for, as far as the last record of them says; 0 where they could not be gone on with. Takes no
    /// lock, which a download that begins just then would miss.
    package func heldBytes(of request: DownloadRequest) -> Int64 {
        guard let location = try? location(SourceKey(request), DigestKey(request)),
            let status = try? directory.status(of: location.name), status.kind == .file,
            let bytes = try? directory.readFile(location.recordName, limitBytes: ResumeData.limitBytes),
            let record = ResumeData(decoding: bytes), record.canBeResumed
        else { return 0 }
        return record.believable(fileBytes: status.sizeBytes, bootID: BootIdentity.current).countBytes
    }

    func location(_ key: SourceKey, _ digestKey: DigestKey?) throws(DownloadError) -> PartialFile.Location {
        let name = digestKey?.storeName ?? SHA256.digest(of: key.canonicalBytes).description
        do {
            return try PartialFile.Location(directory: directory, name: RelativePath(name + Self.suffix))
        } catch {
            throw DownloadError(.fileFailed, "\(error)")
        }
    }
}

extension SourceKey {
    /// An unambiguous spelling: no field can hold the line breaks between them. How many redirects may be followed
    /// makes no other bytes, nor does a condition.
    fileprivate var canonicalBytes: [UInt8] {
        let policy =
            switch redirects {
            case .follow: [String]()
            case .sameOrigin: ["redirects within the origin"]
            case .refuse: ["no redirects"]
            }
        let part = byteRange.map { ["bytes \($0.lowerBound)-\($0.upperBound)"] } ?? []
        return Array(([url.text] + headers.canonicalLines + policy + part).joined(separator: "\n").utf8)
    }
}

extension DigestKey {
    /// The digest itself where nothing else sets the bytes of requests apart.
    fileprivate var storeName: String {
        if headers.fields.isEmpty, userInfo == nil { return digest.description }
        let lines = [digest.description, userInfo ?? ""] + headers.canonicalLines
        return SHA256.digest(of: lines.joined(separator: "\n").utf8).description
    }
}

extension HeaderFields {
    fileprivate var canonicalLines: [String] { fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted() }
}
