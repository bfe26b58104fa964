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

    private enum Line {
        case file(RelativePath, Receipt.Source)
        case record(String, text: String)
    }

    /// What it says, up to the first line that can't be read.
    static func notes(_ name: RelativePath, in parent: Directory) -> StagingNotes {
        var notes = StagingNotes()
        read(name, in: parent) { line in
            switch line {
            case .file(let path, let source): notes.files.append((path, source))
            case .record(let record, let text): notes.records[record, default: []].append(text)
            }
            return true
        }
        return notes
    }

    /// Whether it tells of such a file. It is read no further than to the first.
    static func tells(_ name: RelativePath, in parent: Directory, of isMeant: (RelativePath) -> Bool) -> Bool {
        var isFound = false
        read(name, in: parent) { line in
            if case .file(let path, _) = line { isFound = isMeant(path) }
            return !isFound
        }
        return isFound
    }

    /// - Parameter take: called with one line after the other, as long as it returns true and the lines can be read.
    private static func read(_ name: RelativePath, in parent: Directory, _ take: (Line) -> Bool) {
        guard let file = try? parent.open(name, flags: O_RDONLY | O_NONBLOCK) else { return }
        var lines = LineReader(file, limitBytes: lineLimitBytes)
        _ = try? lines.next()
        while let text = try? lines.next(), let line = Self.line(text), take(line) {}
    }

    private static func line(_ text: [UInt8]) -> Line? {
        guard let entry = try? JSONDocument(text, name: "a journal").root else { return nil }
        if let record = entry["record"]?.string, let text = entry["text"]?.string {
            return .record(record, text: text)
        }
        guard let path = entry["path"]?.string.flatMap({ try? RelativePath($0) }), let source = Receipt.Source(entry)
        else { return nil }
        return .file(path, source)
    }
}

/// What a journal says.
struct StagingNotes {
    var files: [(path: RelativePath, source: Receipt.Source)] = []
    /// By their names, each in the pieces in which it was written.
    var records: [String: [String]] = [:]
}
