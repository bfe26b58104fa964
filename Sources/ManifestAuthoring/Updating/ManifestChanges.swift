import BundleManifest
import Diagnostics
import JSONSyntax
import Platform

/// What becomes of a manifest's text: each change is an edit of what has to be another, so that all else stays as it was written.
struct ManifestChanges {
    private let document: JSONDocument
    private var edits: [TextEdit] = []
    /// Where the objects begin whose files aren't there, in the order of the text.
    private var gone: [(start: Int, file: RelativePath)] = []
    /// Where the objects begin whose files are others than they say, or may be, as they have no digest; in the order of the text.
    private var changed: [(start: Int, isProven: Bool)] = []
    /// The text of new files, by where the bundles begin that they join.
    private var joining: [Int: [String]] = [:]
    private var newBundles: [String] = []
    private(set) var counts = UpdateCounts()
    private(set) var told = ToldChanges()

    init(_ document: JSONDocument) { self.document = document }

    // MARK: What is there

    /// Holds what the manifest says of a file against what was read of it.
    mutating func renew(_ source: JSONValue, _ facts: FileFacts) {
        var isOther = false
        var missing: [(key: String, value: String)] = []
        let size = source["size"]
        if let size {
            if size.integer.map(Int64.init) != facts.sizeBytes {
                edits.append(TextEdit(size.range, "\(facts.sizeBytes)"))
                isOther = true
            }
        } else {
            missing.append(("size", "\(facts.sizeBytes)"))
        }
        let text = facts.digest.description
        if let digest = source["sha256"] {
            if digest.string != text {
                edits.append(TextEdit(digest.range, JSONTextStyle.quoted(text)))
                isOther = true
            }
        } else {
            missing.append(("sha256", JSONTextStyle.quoted(text)))
        }
        guard isOther || !missing.isEmpty else { return }
        if isOther || source["sha256"] == nil { changed.append((source.range.start, isOther)) }
        if isOther { counts.renewed += 1 } else { counts.completed += 1 }
        if !missing.isEmpty, let edit = source.inserting(missing, behind: size == nil ? "urls" : "size") {
            edits.append(edit)
        }
    }

    mutating func note(gone source: JSONValue, _ file: RelativePath) { gone.append((source.range.start, file)) }

    /// A link stands where a file was: it isn't followed, and nobody knows whether what the manifest says of it still holds.
    mutating func note(linked file: RelativePath, of bundle: ListedBundle) {
        counts.linked += 1
        told.gone.add(
            "\"\(bundle.id)\": \(file) is behind a link, and stays as it was written, unread: put the file itself there, or name it"
        )
    }

    mutating func add(_ file: String, toBundleAt bundle: Int) {
        joining[bundle, default: []].append(file)
        counts.added += 1
    }

    mutating func add(bundle: String, files: Int) {
        newBundles.append(bundle)
        counts.added += files
    }

    // MARK: What follows

    /// Settles what was found, bundle by bundle.
    /// - Parameters:
    ///   - prunes: whether what is gone goes from the manifest as well.
    ///   - joinedDigest: the digest of the file that a bundle's segments make; nil where not all are here.
    mutating func settle(
        prunes: Bool, joinedDigest: (ListedBundle) throws(CreationProblem) -> SHA256Digest?
    ) throws(CreationProblem) {
        var (gone, changed) = (gone[...], changed[...])
        var removed: Set<Int> = []
        for bundle in document.listedBundles {
            let range = bundle.place.range
            let lost = gone.prefix { $0.start < range.end }
            gone = gone.dropFirst(lost.count)
            let others = changed.prefix { $0.start < range.end }
            changed = changed.dropFirst(others.count)
            var hasChanged = others.contains(where: \.isProven)
            if !others.isEmpty, let written = bundle.place["joinSHA256"] {
                let isRenewed = try renew(written, of: bundle, hasChanged: hasChanged, joinedDigest)
                hasChanged = hasChanged || isRenewed
            }
            let isRemoved = settle(bundle, Array(lost), prunes: prunes)
            if isRemoved { removed.insert(range.start) }
            let isOther = hasChanged || joining[range.start] != nil || (prunes && !lost.isEmpty)
            if !isRemoved, isOther, let version = bundle.place["version"]?.string {
                told.versions.add(
                    "\"\(bundle.id)\" changed, and its version is still \(version.quotedForMessage()): give it another one"
                )
            }
        }
        guard !removed.isEmpty || !newBundles.isEmpty else { return }
        if !removed.isEmpty { forget(removed) }
        edits += ListEdit(document.bundleList).edits(removing: removed, adding: newBundles)
    }

    /// - Parameter hasChanged: whether a segment has, or only nobody knew its digest.
    /// - Returns: whether the joined file is another one.
    private mutating func renew(
        _ written: JSONValue, of bundle: ListedBundle, hasChanged: Bool,
        _ joinedDigest: (ListedBundle) throws(CreationProblem) -> SHA256Digest?
    ) throws(CreationProblem) -> Bool {
        guard let digest = try joinedDigest(bundle) else {
            guard !hasChanged else { throw .unknownJoinedDigest(bundle.id) }
            told.gone.add(
                "\"\(bundle.id)\": not all of its segments are here, and its joinSHA256 stays as it was written, unread"
            )
            return false
        }
        guard written.string != digest.description else { return false }
        edits.append(TextEdit(written.range, JSONTextStyle.quoted(digest.description)))
        return true
    }

    /// Takes the bundles that go out of the lists of what others wait for: nobody waits for what isn't there.
    private mutating func forget(_ removed: Set<Int>) {
        let ids = Set(document.listedBundles.filter { removed.contains($0.place.range.start) }.map(\.id))
        for bundle in document.listedBundles where !removed.contains(bundle.place.range.start) {
            guard let after = bundle.place["after"] else { continue }
            let gone = after.elements.filter { $0.string.map(ids.contains) ?? false }
            guard !gone.isEmpty else { continue }
            edits += ListEdit(after).edits(removing: Set(gone.map(\.range.start)), adding: [])
            for id in gone.compactMap(\.string) {
                told.gone.add("\"\(bundle.id)\" comes after \"\(id)\" no more, which is taken out")
            }
        }
    }

    /// - Returns: whether the bundle as a whole goes.
    private mutating func settle(
        _ bundle: ListedBundle, _ lost: [(start: Int, file: RelativePath)], prunes: Bool
    ) -> Bool {
        let new = joining[bundle.place.range.start] ?? []
        let isEmptied = new.isEmpty && lost.count == (bundle.list?.elementCount ?? 1)
        // The rest of segments would play on without those that are gone.
        let isPruned = prunes && (isEmptied || bundle.kind == .files)
        for (_, file) in lost {
            let way =
                isPruned
                ? "is taken out" : prunes ? "stays, as the other segments do" : "stays; --prune takes out what is gone"
            told.gone.add("\"\(bundle.id)\": \(file) is gone, and \(way)")
        }
        counts.gone += lost.count
        if isPruned { counts.pruned += lost.count }
        guard !isEmptied || !isPruned else { return true }
        if let list = bundle.list, !new.isEmpty || (isPruned && !lost.isEmpty) {
            edits += ListEdit(list).edits(removing: isPruned ? Set(lost.map(\.start)) : [], adding: new)
        }
        return false
    }

    /// The edits, with a serial of its own for what they make; nil where there is nothing to change.
    /// - Throws: `lastSerial`
    func edits(at created: Timestamp) throws(CreationProblem) -> (edits: [TextEdit], serial: Int)? {
        guard !edits.isEmpty else { return nil }
        var edits = edits
        let root = document.root
        guard let place = root["serial"], let serial = place.integer, serial < JSONValue.largestInteger else {
            throw .lastSerial
        }
        edits.append(TextEdit(place.range, "\(serial + 1)"))
        if let place = root["created"] { edits.append(TextEdit(place.range, JSONTextStyle.quoted(created.rfc3339))) }
        edits.sort { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
        return (edits, serial + 1)
    }
}

/// What an author should hear of.
struct ToldChanges {
    var gone = ToldLines()
    var versions = ToldLines()
}
