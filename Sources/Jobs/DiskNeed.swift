import BundleManifest
import ContentLibrary
import Downloads
import Platform

/// How much more a disk will have to hold at the worst moment of a run than it does before: everything that is fetched, and beside each archive what
/// it unpacks to. What was there stays until all of it is published.
struct DiskNeed: Sendable {
    private(set) var bytes: Int64 = 0
    /// Bundles of which nobody knows beforehand how much they will take: it comes on top.
    private(set) var unknown: [BundleAddress] = []

    /// File systems give whole blocks away, mostly of this size.
    private static let blockBytes: Int64 = 4 << 10
    /// What is written down of each file: a line in the receipt, one in the journal, both with its path and URL, and a name in a directory.
    private static let noteBytes: Int64 = 1 << 10
    /// Directories of the bundle and of its generation, the receipt and the journal, begun blocks of each.
    private static let bundleBytes: Int64 = 32 << 10
    /// The index with its journal, the generation, the lock.
    private static let runBytes: Int64 = 1 << 20
    /// The record beside a large file while it comes, and what is written of it before it has its name.
    private static let recordBytes: Int64 = 16 << 10

    /// - Parameters:
    ///   - manifests: what is going to be published, with the exact bytes.
    ///   - transfers: how many may come at once.
    init(_ plans: [BundlePlan], manifests: [LoadedManifest], transfers: Int) {
        for plan in plans { add(plan, transfers: transfers) }
        guard !plans.allSatisfy({ $0.state == .unchanged }) else { return }
        add(Self.runBytes.addingClamped(Int64(clamping: transfers).multipliedClamped(by: Self.recordBytes)))
        for manifest in manifests { add(Self.blocks(Int64(manifest.bytes.count))) }
    }

    private mutating func add(_ more: Int64) { bytes.addClamped(more) }

    private mutating func add(_ plan: BundlePlan, transfers: Int) {
        if case .mend(let content) = plan.work { add(mending: content, of: plan) }
        guard plan.state == .fetch || plan.state == .revalidate else { return }
        add(Self.bundleBytes)
        var isKnown = plan.state == .fetch
        for file in plan.missingFiles {
            isKnown = isKnown && file.sizeBytes != nil
            add(Self.blocks(Int64(file.sizeBytes ?? 0)).addingClamped(Self.noteBytes))
        }
        bytes = max(0, bytes - plan.heldBytes)
        switch plan.bundle.content {
        case .hls: isKnown = false
        case .files(let files): add(directories(files.map(\.path)))
        case .segments(let list) where list.join != nil:
            // Those that came before their turn wait beside the file that they become part of.
            let largest = list.segments.compactMap(\.source.sizeBytes).max() ?? 0
            add(Self.blocks(Int64(largest)).multipliedClamped(by: Int64(clamping: 2 * transfers)))
        case .segments(let list): add(directories(list.segments.map(\.path)))
        case .archive, .textures, .ebook:
            guard plan.bundle.isUnpacked else { break }
            if let most = plan.bundle.package?.unpack.limits.mostBytesOnDisk {
                add(max(0, most - plan.unpackedBytes))
            } else {
                isKnown = false
            }
        }
        if !isKnown { unknown.append(plan.address) }
    }

    /// What of it is damaged shows when it is mended: at most all of it, and what it is unpacked from.
    private mutating func add(mending content: StoredContent, of plan: BundlePlan) {
        add(Self.bundleBytes.addingClamped(Self.blocks(content.header.contentBytes)))
        add(Int64(clamping: content.header.entryCount).multipliedClamped(by: Self.blockBytes + Self.noteBytes))
        guard plan.bundle.isUnpacked else { return }
        if let receipt = try? content.receipt() {
            for source in receipt.sources { add(Self.blocks(source.sizeBytes)) }
        } else {
            unknown.append(plan.address)
        }
    }

    /// What the directories take that files at these paths need.
    private func directories(_ paths: [String]) -> Int64 {
        let parents = Set(paths.compactMap { path in path.lastIndex(of: "/").map { path[..<$0] } })
        // Each of these may need others above it, which are parents of nothing else.
        let depth = parents.reduce(0) { $0 + 1 + $1.utf8.count { $0 == UInt8(ascii: "/") } }
        return Int64(clamping: depth).multipliedClamped(by: Self.blockBytes)
    }

    private static func blocks(_ bytes: Int64) -> Int64 {
        (bytes / blockBytes).addingClamped(1).multipliedClamped(by: blockBytes)
    }
}

extension UnpackLimits {
    /// The most that an archive within these limits takes unpacked; nil where they don't bound it.
    fileprivate var mostBytesOnDisk: Int64? {
        guard let totalBytes, let entries else { return nil }
        // Each entry may begin a block, and be noted in the receipt.
        return Int64(totalBytes).addingClamped(Int64(entries).multipliedClamped(by: 6 << 10))
    }
}
