import Platform

/// The folder where partial files gather, each named by what it is going to be.
public final class ResumeStore: Sendable {
    package let directory: Directory

    /// Opens the store at `path`, made when missing.
    /// - Throws: `DownloadError` when it can't be opened.
    public convenience init(path: String) throws(DownloadError) {
        do { self.init(directory: try Directory.open(path, create: true)) } catch { throw DownloadError(error) }
    }

    package init(directory: Directory) { self.directory = directory }

    /// The place for a download: by digest where that is known, so that any of its mirrors can go on with it, else by URL and headers.
    func location(digest: SHA256Digest?, source: SourceKey) throws(DownloadError) -> PartialFile.Location {
        let name = digest?.description ?? SHA256.digest(of: source.canonicalBytes).description
        do {
            return try PartialFile.Location(directory: directory, name: RelativePath(name + ".part"))
        } catch {
            throw DownloadError(.fileFailed, "\(error)")
        }
    }
}

extension SourceKey {
    /// An unambiguous spelling: no field can hold the line breaks between them.
    var canonicalBytes: [UInt8] {
        let lines = [url.text] + headers.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return Array(lines.joined(separator: "\n").utf8)
    }
}
