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
            var reader = try? ReceiptReader(receipt, isLook: true), reader.header.origin.address == address
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
