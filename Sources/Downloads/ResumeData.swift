import JSONSyntax
import Platform
import Transfer

/// What must be known to go on with a partial file: which version of the asset it holds and how much of that can be believed.
struct ResumeData: Hashable, Sendable {
    /// The URL that was asked for, and where its last redirect led.
    var url: String
    var finalURL: String
    /// The entity tag where it is strong, and the modification date where that is (RFC 9110 §8.8): what `If-Range` may carry.
    var entityTag: String?
    var lastModified: String?
    /// The whole asset's length, where the server or the caller told it.
    var totalBytes: Int64?
    /// The codings the server had applied; nil for none.
    var contentCoding: String?
    /// The digest the bytes are meant to have, where it is known.
    var digest: SHA256Digest?
    /// The positions held, in order, not touching. Until a download comes in several ranges there is one, from 0.
    var ranges: [Range<Int64>]
    /// How many bytes from the start are known to be flushed to the disk.
    var flushedBytes: Int64
    /// The boot in which the record was written. In the same boot the file itself says how much there is.
    var bootID: String

    /// Whether anything can tell that bytes fetched later belong to these.
    var canBeResumed: Bool { validator != nil || digest != nil }

    /// What `If-Range` may carry: the tag is preferred, being exact (RFC 9110 §13.1.5).
    var validator: String? { entityTag ?? lastModified }

    /// Bytes held from the start.
    var heldBytes: Int64 { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    /// How much of a file of `fileBytes` bytes can be believed.
    func believableBytes(fileBytes: Int64, bootID: String) -> Int64 {
        // A killed process loses nothing the kernel had; a power loss everything that wasn't flushed.
        !bootID.isEmpty && bootID == self.bootID ? fileBytes : min(fileBytes, flushedBytes)
    }
}

/// The record on the disk: JSON with a version. Whatever can't be read as such is no record.
extension ResumeData {
    private static let format = "larder-resume/1"
    static let limitBytes = 64 << 10

    var encoded: [UInt8] {
        var writer = JSONWriter(.pretty)
        writer.object { record in
            record.member("format", Self.format)
            record.member("url", url)
            record.member("finalURL", finalURL)
            record.member("entityTag", entityTag)
            record.member("lastModified", lastModified)
            record.member("totalBytes", totalBytes)
            record.member("contentCoding", contentCoding)
            record.member("sha256", digest?.description)
            record.member("ranges", ranges.map { [$0.lowerBound, $0.upperBound] })
            record.member("flushedBytes", flushedBytes)
            record.member("boot", bootID)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    init?(decoding bytes: [UInt8]) {
        guard let root = try? JSONDocument(bytes, name: "resume data").root, root["format"]?.string == Self.format
        else {
            return nil
        }
        guard
            let url = root["url"]?.string, let finalURL = root["finalURL"]?.string, let boot = root["boot"]?.string,
            let flushed = root["flushedBytes"]?.integer, flushed >= 0, let rangeValues = root["ranges"]?.elements
        else { return nil }
        var ranges: [Range<Int64>] = []
        for value in rangeValues {
            let ends = value.elements.compactMap(\.integer).map(Int64.init)
            guard ends.count == 2, ends[0] <= ends[1], ends[0] >= ranges.last?.upperBound ?? 0 else { return nil }
            ranges.append(ends[0]..<ends[1])
        }
        self.url = url
        self.finalURL = finalURL
        // They go into a request's header: what could not have come from one is not let through.
        entityTag = root["entityTag"]?.string.flatMap { isStrongEntityTag($0) ? $0 : nil }
        lastModified = root["lastModified"]?.string.flatMap { HTTPDate.seconds($0) != nil ? $0 : nil }
        totalBytes = root["totalBytes"]?.integer.map(Int64.init)
        if let totalBytes, totalBytes < 0 { return nil }
        contentCoding = root["contentCoding"]?.string
        digest = root["sha256"]?.string.flatMap(SHA256Digest.init(hex:))
        self.ranges = ranges
        flushedBytes = Int64(flushed)
        bootID = boot
    }
}
