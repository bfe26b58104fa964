import Archives
import BundleManifest
import Downloads
import Platform
import Transfer

extension PackagedFile {
    /// What the file is called when it is kept whole: the manifest's `filename`, or the last component of the first URL's path, made safe.
    package var keptName: String { filename ?? Self.lastComponent(source.urls[0].text) ?? "content" }

    private static func lastComponent(_ url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return safeFileName(String(decoding: percentDecoded(last.utf8), as: UTF8.self))
    }

    /// What may be unpacked, and how: the stricter of the manifest's limits and ours wins.
    /// - Throws: `notSelectable` for a pattern that is none.
    package func extractionPolicy() throws(ArchiveError) -> ExtractionPolicy {
        var policy = ExtractionPolicy()
        policy.selection = try EntrySelection(strip: unpack.strip, include: unpack.include, exclude: unpack.exclude)
        policy.preservesTimes = unpack.preservesTimes
        policy.singleFileName = filename
        let limits = unpack.limits
        policy.limits.entries = min(policy.limits.entries, limits.entries ?? .max)
        policy.limits.totalBytes = min(policy.limits.totalBytes, Int64(limits.totalBytes ?? .max))
        policy.limits.entryBytes = min(policy.limits.entryBytes, Int64(limits.entryBytes ?? .max))
        policy.limits.depth = min(policy.limits.depth, limits.depth ?? .max)
        // A manifest can't loosen the ratio, but what it gives holds for small archives too.
        if let ratio = limits.ratio { policy.limits.setRatio(Int64(min(ratio, Double(policy.limits.ratio)))) }
        return policy
    }

    /// The archive format to read; nil to tell it from the content.
    /// - Throws: `archiveUnsupported` for what this version doesn't do.
    package func archiveFormat() throws(BundleFailure) -> ArchiveFormat? {
        guard unpack.format != .auto else { return nil }
        guard let format = ArchiveFormat(rawValue: unpack.format.rawValue) else {
            throw BundleFailure(
                .archiveUnsupported,
                "archives of the format '\(unpack.format.rawValue)' can't be unpacked by this version")
        }
        return format
    }
}
