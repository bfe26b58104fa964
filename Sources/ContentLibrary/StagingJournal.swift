import Glibc
import JSONSyntax
import Platform

/// What has come into a staging directory so far, and from where, so that the next run needn't fetch it again: JSON Lines beside the directory.
///
/// 1. the header: `staging` (the format, 1), `manifest`, `bundle`;
/// 2. for each file `path`, and as in receipts `url`, `sizeBytes`, `sha256`, `validator`; for one of an archive `url` is `zip-entry:` and what of the
///    archive it was made of;
/// 3. for what is known besides of the work that is under way, piece by piece: `record` (its name), `text`.
///
/// Nothing of it is flushed, and a kill may cut its last line: what it says is only believed of a file that has that digest.
final class StagingJournal: Sendable {
    private static let format = 1
    /// Of a piece of a record; a path and a URL come nowhere near.
    private static let lineLimitBytes = 1 << 29

    private let file: OwnedDescriptor
    private let order = Locked(())

    /// Begins the journal of a new staging directory.
    init(_ name: RelativePath, in parent: Directory, for bundle: BundleAddress) throws(SystemError) {
        // For its owner only: a URL may hold secrets.
        file = try parent.open(name, flags: O_WRONLY | O_CREAT | O_EXCL | O_APPEND, mode: 0o600)
        try write { line in
            line.member("staging", Self.format)
            line.member("manifest", bundle.manifest.description)
            line.member("bundle", bundle.bundle.description)
        }
    }

    func note(_ source: Receipt.Source, at path: RelativePath) throws(SystemError) {
        // A name that is no text can't be in a manifest either.
        guard let text = String(validating: path.bytes, as: UTF8.self) else { return }
        try write { line in
            line.member("path", text)
            line.sourceMembers(source)
        }
    }

    /// Adds a piece to a record.
    func note(_ text: String, of record: String) throws(SystemError) {
        try write { line in
            line.member("record", record)
            line.member("text", text)
        }
    }

    private func write(_ members: (inout JSONWriter) -> Void) throws(SystemError) {
        var line = JSONWriter()
        line.object(members)
        let bytes = line.bytes + [UInt8(ascii: "\n")]
        try order.withLock { (_) throws(SystemError) in try file.write(bytes) }
    }

    // MARK: Reading what a dead run left

    /// Whose it is; nil for what is no journal.
    static func bundle(_ name: RelativePath, in parent: Directory) throws(SystemError) -> BundleAddress? {
        let file = try parent.open(name, flags: O_RDONLY | O_NONBLOCK)
        var lines = LineReader(file, limitBytes: lineLimitBytes)
        guard let line = try? lines.next(), let header = try? JSONDocument(line, name: "a journal").root,
            header["staging"]?.integer == format,
            let manifest = header["manifest"]?.string.flatMap({ ContentID($0) }),
            let bundle = header["bundle"]?.string.flatMap({ ContentID($0) })
        else { return nil }
        return BundleAddress(manifest: manifest, bundle: bundle)
    }

    /// What it says, up to the first line that can't be read.
    static func notes(_ name: RelativePath, in parent: Directory) -> StagingNotes {
        var notes = StagingNotes()
        guard let file = try? parent.open(name, flags: O_RDONLY | O_NONBLOCK) else { return notes }
        var lines = LineReader(file, limitBytes: lineLimitBytes)
        _ = try? lines.next()
        while let line = try? lines.next(), let entry = try? JSONDocument(line, name: "a journal").root {
            if let record = entry["record"]?.string, let text = entry["text"]?.string {
                notes.records[record, default: []].append(text)
            } else if let path = entry["path"]?.string.flatMap({ try? RelativePath($0) }),
                let source = Receipt.Source(entry)
            {
                notes.files.append((path, source))
            } else {
                break
            }
        }
        return notes
    }
}

/// What a journal says.
struct StagingNotes {
    var files: [(path: RelativePath, source: Receipt.Source)] = []
    /// By their names, each in the pieces in which it was written.
    var records: [String: [String]] = [:]
}
