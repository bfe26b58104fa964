import JSONSyntax
import Platform
import Transfer

/// What must be known to go on with a partial file: which version of the asset it holds and how much of that can be believed.
struct ResumeData: Hashable, Sendable {
    /// The URL that was asked for, and where its last redirect led.
    var url: String
    var finalURL: String
    /// The part of what is there that the bytes are of, and count from; nil: all of it.
    var part: Range<Int64>?
    /// The entity tag where it is strong, and the modification date where that is (RFC 9110 §8.8): what `If-Range` may carry.
    var entityTag: String?
    var lastModified: String?
    /// The whole asset's length, where the server or the caller told it.
    var totalBytes: Int64?
    /// The codings the server had applied; nil for none.
    var contentCoding: String?
    /// The digest the bytes are meant to have, where it is known.
    var digest: SHA256Digest?
    /// The positions that were held when the record was written.
    var held: ByteRangeSet
    /// Those of them that are known to be flushed to the disk.
    var flushed: ByteRangeSet
    /// Whether the file may have holes: bytes were, or are about to be, written beyond a position that isn't held. Its length says nothing then.
    var mayHaveHoles: Bool
    /// The boot in which the record was written. In the same boot a file without holes says itself how much there is.
    var bootID: String
    /// Which file the record is about, and through which mount it was written (`FileBirth`); nil where that was unknown.
    var file: String?
    var mount: String?

    /// Whether anything can tell that bytes fetched later belong to these.
    var canBeResumed: Bool { validator != nil || digest != nil }

    /// What `If-Range` may carry: the tag is preferred, being exact (RFC 9110 §13.1.5).
    var validator: String? { entityTag ?? lastModified }

    /// What of a file of `fileBytes` bytes can be believed: either nothing, or something that begins at its start.
    func believable(fileBytes: Int64, bootID: String) -> ByteRangeSet {
        let isSameBoot = !bootID.isEmpty && bootID == self.bootID
        // A killed process loses nothing the kernel had; a power loss everything that wasn't flushed. Of a file with holes the kernel has more than
        // the record knows, but nobody can tell where.
        if isSameBoot, !mayHaveHoles { return ByteRangeSet(prefixBytes: fileBytes) }
        let believable = (isSameBoot ? held : flushed).intersection(ByteRangeSet(prefixBytes: fileBytes))
        // Each of them costs a request.
        return believable.contiguousBytes > 0 ? believable.limited(to: Self.maximumRanges) : ByteRangeSet()
    }
}

extension PartialFile {
    /// What of the file can be believed by its record.
    ///
    /// Where it isn't the file that the record is about, it was copied, perhaps while a run was at work: bytes and record needn't belong together,
    /// and only a digest could tell. Where the disk was mounted anew, or what was said to be held never came to it, the kernel has lost something
    /// since: what was flushed is there.
    func believable(by record: ResumeData) -> ByteRangeSet {
        let birth = file.birth
        let isCopy = record.file != nil && record.file != birth?.file
        if isCopy, record.digest == nil { return ByteRangeSet() }
        let isOfThisMount = !isCopy && (record.mount == nil || record.mount == birth?.mount)
        let bootID = isOfThisMount ? BootIdentity.current : ""
        let held = record.believable(fileBytes: found.sizeBytes, bootID: bootID)
        guard record.mayHaveHoles, !held.ranges.allSatisfy(file.hasBytes) else { return held }
        return record.believable(fileBytes: found.sizeBytes, bootID: "")
    }
}

/// The record on the disk: JSON with a version. Whatever can't be read as such is no record.
extension ResumeData {
    private static let format = "larder-resume/1"
    /// One that programs refuse which know nothing of holes.
    private static let formatWithHoles = "larder-resume/2"
    /// More than a download ever has. What is beyond them is neither claimed nor believed.
    private static let maximumRanges = 128
    static let limitBytes = 64 << 10

    var encoded: [UInt8] {
        var writer = JSONWriter(.pretty)
        writer.object { record in
            record.member("format", mayHaveHoles ? Self.formatWithHoles : Self.format)
            record.member("url", url)
            record.member("finalURL", finalURL)
            if let part { record.member("part", Self.pair(part)) }
            record.member("entityTag", entityTag)
            record.member("lastModified", lastModified)
            record.member("totalBytes", totalBytes)
            record.member("contentCoding", contentCoding)
            record.member("sha256", digest?.description)
            record.member("ranges", Self.pairs(held))
            if mayHaveHoles {
                record.member("flushed", Self.pairs(flushed))
            } else {
                record.member("flushedBytes", flushed.contiguousBytes)
            }
            record.member("boot", bootID)
            record.member("file", file)
            record.member("mount", mount)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func pairs(_ set: ByteRangeSet) -> [[Int64]] {
        set.limited(to: maximumRanges).ranges.map(pair)
    }

    private static func pair(_ range: Range<Int64>) -> [Int64] { [range.lowerBound, range.upperBound] }

    init?(decoding bytes: [UInt8]) {
        guard let root = try? JSONDocument(bytes, name: "resume data").root,
            let url = root["url"]?.string, let finalURL = root["finalURL"]?.string, let boot = root["boot"]?.string,
            let held = root["ranges"].flatMap(Self.set)
        else { return nil }
        switch root["format"]?.string {
        case Self.format:
            guard let flushed = root["flushedBytes"]?.integer, flushed >= 0, held.ranges.count <= 1 else { return nil }
            self.flushed = ByteRangeSet(prefixBytes: Int64(flushed))
            mayHaveHoles = false
        case Self.formatWithHoles:
            guard let flushed = root["flushed"].flatMap(Self.set) else { return nil }
            self.flushed = flushed
            mayHaveHoles = true
        default: return nil
        }
        self.url = url
        self.finalURL = finalURL
        if let written = root["part"] {
            guard let part = Self.range(written) else { return nil }
            self.part = part
        }
        // They go into a request's header: what could not have come from one is not let through.
        entityTag = root["entityTag"]?.string.flatMap { isStrongEntityTag($0) ? $0 : nil }
        lastModified = root["lastModified"]?.string.flatMap { HTTPDate.seconds($0) != nil ? $0 : nil }
        totalBytes = root["totalBytes"]?.integer.map(Int64.init)
        if let totalBytes, totalBytes < 0 { return nil }
        contentCoding = root["contentCoding"]?.string
        digest = root["sha256"]?.string.flatMap(SHA256Digest.init(hex:))
        self.held = held
        bootID = boot
        file = root["file"]?.string
        mount = root["mount"]?.string
    }

    /// Pairs of positions, in order; nil for anything else.
    private static func set(_ value: JSONValue) -> ByteRangeSet? {
        var ranges = ByteRangeSet()
        for pair in value.elements {
            guard let range = range(pair), range.lowerBound >= ranges.upperBound else { return nil }
            ranges.insert(range)
        }
        return ranges
    }

    private static func range(_ pair: JSONValue) -> Range<Int64>? {
        let ends = pair.elements.compactMap(\.integer).map(Int64.init)
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
    }
}
