import Glibc
import Platform

/// What a receipt tells of stored content without its files being read through.
package struct ContentSummary: Hashable, Sendable {
    package let header: Receipt.Header
    /// Where its first source was fetched from, as receipts call it: it may hold secrets. Nil where it had none.
    package let firstURL: String?
    /// The digest of each source, in the order of the manifest; none unless they were asked for.
    package let sourceDigests: [SHA256Digest]
}

extension Store {
    /// Looks at contents of one manifest by their receipts alone. What is missing, or not to be believed, isn't among the result.
    /// - Parameter withSources: reads the digest of each source, too.
    /// - Complexity: a few system calls for each content, whatever it holds; `withSources` linear in the sources.
    package func summaries(
        of manifest: ContentID, _ names: [ContentID: StoreName], withSources: Bool
    ) -> [ContentID: ContentSummary] {
        let names = Array(names)
        guard names.count > Self.fewContents else { return look(at: names[...], of: manifest, withSources) }
        // Half of it is waiting for the kernel: two threads do it in less time than one.
        let middle = names.count / 2
        let others = Locked<[ContentID: ContentSummary]>([:])
        let worker = WorkerThread(name: "larder-look") {
            let found = look(at: names[middle...], of: manifest, withSources)
            others.withLock { $0 = found }
        }
        let found = look(at: names[..<middle], of: manifest, withSources)
        worker.join()
        return others.withLock { $0 }.merging(found) { $1 }
    }

    /// A thread takes longer to start than these.
    private static let fewContents = 256

    private func look(
        at names: ArraySlice<(key: ContentID, value: StoreName)>, of manifest: ContentID, _ withSources: Bool
    ) -> [ContentID: ContentSummary] {
        guard let holder = try? directory.subdirectory(manifest.path) else { return [:] }
        var summaries: [ContentID: ContentSummary] = [:]
        summaries.reserveCapacity(names.count)
        for (bundle, name) in names {
            let address = StoreAddress(bundle: BundleAddress(manifest: manifest, bundle: bundle), name: name)
            summaries[bundle] = summary(of: address, in: holder, withSources: withSources)
        }
        return summaries
    }

    private func summary(
        of address: StoreAddress, in holder: Directory, withSources: Bool
    ) -> ContentSummary? {
        guard let content = try? address.bundle.bundle.path.appending(address.name.path),
            let receiptPath = try? address.bundle.bundle.path.appending(address.name.receiptPath),
            holder.leadsToDirectory(content),
            let receipt = try? holder.openIfThere(receiptPath, flags: O_RDONLY | O_NONBLOCK),
            var reader = try? ReceiptReader(receipt), reader.header.origin.address == address
        else { return nil }
        var (firstURL, digests): (String?, [SHA256Digest]) = (nil, [])
        for number in 0..<(withSources ? reader.header.sourceCount : min(1, reader.header.sourceCount)) {
            guard let source = try? reader.nextSource() else { return nil }
            if number == 0 { firstURL = source.url }
            if withSources { digests.append(source.sha256) }
        }
        return ContentSummary(header: reader.header, firstURL: firstURL, sourceDigests: digests)
    }
}
