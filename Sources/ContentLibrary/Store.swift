import Glibc
import Platform

/// The content directories and their receipts. Content without a readable receipt is not believed: it may be half of something.
package struct Store: Sendable {
    /// `store/`.
    let directory: Directory

    /// The content a bundle of this origin would have, if it is here already: costs a few system calls, whatever its size.
    package func find(_ origin: Receipt.Origin) throws(LibraryError) -> StoredContent? {
        guard let content = try open(origin.address), content.header.origin.key == origin.key else { return nil }
        return content
    }

    /// The content at `address`; nil when it is missing or not to be believed.
    package func open(_ address: StoreAddress) throws(LibraryError) -> StoredContent? {
        do {
            let parent = try bundleDirectory(address.bundle)
            guard try parent.status(of: address.name.path)?.kind == .directory else { return nil }
            let receipt = try parent.open(address.name.receiptPath, flags: O_RDONLY | O_NONBLOCK)
            guard let header = try? ReceiptReader(receipt).header, header.origin.address == address else { return nil }
            return StoredContent(address: address, store: self, header: header)
        } catch {
            // A file or a link where a directory should be is no content of ours either.
            guard error.isNotFound || error.code == ENOTDIR || error.code == ELOOP else { throw LibraryError(error) }
            return nil
        }
    }

    /// When content was put here; nil for what is not to be believed.
    func commitTime(of address: StoreAddress) -> Timestamp? {
        guard (try? open(address)) != nil else { return nil }
        return (try? bundleDirectory(address.bundle).status(of: address.name.receiptPath))?.modified
    }

    /// What was put into the store last of a bundle, whether or not it has been published: a run may have been cut short in between.
    package func newest(of bundle: BundleAddress) throws(LibraryError) -> StoredContent? {
        let names: [RelativePath]
        do { names = try bundleDirectory(bundle).names() } catch {
            guard error.isNotFound || error.code == ENOTDIR || error.code == ELOOP else { throw LibraryError(error) }
            return nil
        }
        var newest: StoredContent?
        for name in names.compactMap({ StoreName($0.bytes) }) {
            guard let content = try open(StoreAddress(bundle: bundle, name: name)) else { continue }
            let time = content.header.origin.created
            if newest.map({ $0.header.origin.created < time }) ?? true { newest = content }
        }
        return newest
    }

    func bundleDirectory(_ bundle: BundleAddress) throws(SystemError) -> Directory {
        try directory.subdirectory(bundle.manifest.path).subdirectory(bundle.bundle.path)
    }
}

/// Content in the store that has a receipt. It holds nothing open: a run may have as many as it has bundles.
package struct StoredContent: Sendable {
    package let address: StoreAddress
    let store: Store
    package let header: Receipt.Header

    /// Opens the content itself.
    package func open() throws(LibraryError) -> Directory {
        try translating { () throws(SystemError) in
            try store.bundleDirectory(address.bundle).subdirectory(address.name.path)
        }
    }

    /// The whole receipt.
    /// - Complexity: in memory and time linear in the number of files.
    /// - Throws: `damaged` when it isn't what was written.
    package func receipt() throws(LibraryError) -> Receipt {
        var reader = try ReceiptReader(openReceipt())
        return try reader.receipt()
    }

    func openReceipt() throws(LibraryError) -> OwnedDescriptor {
        try translating { () throws(SystemError) in
            try store.bundleDirectory(address.bundle).open(address.name.receiptPath, flags: O_RDONLY | O_NONBLOCK)
        }
    }
}
