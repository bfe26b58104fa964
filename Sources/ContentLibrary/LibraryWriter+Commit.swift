import Glibc
import Platform

/// From staging into the store.
///
/// Content is believed where both it and its receipt have their names, and each of the two is whole and on the disk before it gets its own.
/// So whichever of the names a crash leaves alone is not believed; the next run carries the commit to its end (``finishCommits()``). A name that is
/// to be used again loses its receipt first, and for good, so that an old receipt never vouches for new content.
extension LibraryWriter {
    /// Puts sealed content into the store. Where the store has the same content already, that stays and the staged one goes.
    /// - Parameter sources: what was fetched for it, in the order of the manifest.
    package func commit(
        _ content: SealedContent, origin: Receipt.Origin, sources: [Receipt.Source]
    ) throws(LibraryError) -> StoredContent {
        let address = origin.address
        state.withLock { _ = $0.unpublished.insert(address) }
        if let present = try find(origin) {
            let renewed = renew(present, sources: sources)
            try content.staging.discard()
            // What can't be removed now is removed with a later commit, or by `clean`.
            try? discardSalvage(of: address.bundle)
            return renewed
        }
        let receipt = Receipt(origin: origin, sources: sources, entries: content.entries)
        try translating { () throws(SystemError) in
            let names = content.staging.names
            try writeReceipt(receipt, of: names)
            let parent = try openPlace(of: address.bundle)
            try place(names, at: address, in: parent, replaces: isDamaged(address) || isSeen(address))
            try moveReceipt(of: names, to: address.name, in: parent)
        }
        // The content is in the store: whatever can't be tidied up now is rubbish that the next run removes.
        try? content.staging.didCommit()
        state.withLock { _ = $0.damaged.remove(address) }
        try? discardSalvage(of: address.bundle)
        return StoredContent(address: address, store: library.store, header: receipt.header)
    }

    /// Notes what servers call content now that is here already and was fetched again: by that they are asked the next time. What nobody told
    /// this time stays as it was known, and so does all where it can't be written: the content is here, and would be fetched once more.
    package func renew(_ present: StoredContent, sources: [Receipt.Source]) -> StoredContent {
        guard let known = try? present.receipt(), known.sources.map(\.url) == sources.map(\.url) else { return present }
        let renewed = zip(known.sources, sources).map { $1.validator ?? $1.delivery?.validator == nil ? $0 : $1 }
        guard renewed != known.sources, let staging = try? makeStaging() else { return present }
        defer { try? staging.discard() }
        let receipt = Receipt(origin: known.header.origin, sources: renewed, entries: known.entries)
        do throws(SystemError) {
            try writeReceipt(receipt, of: staging.names)
            try moveReceipt(of: staging.names, to: present.address.name, in: openPlace(of: present.address.bundle))
        } catch {
            return present
        }
        return StoredContent(address: present.address, store: library.store, header: receipt.header)
    }

    /// Whether readers may be led there: then it is never missing.
    func isSeen(_ address: StoreAddress) -> Bool {
        // Most of what is committed is new, and then no generation needs to be asked.
        do throws(SystemError) {
            guard try library.store.bundleDirectory(address.bundle).status(of: address.name.path) != nil else {
                return false
            }
        } catch { if error.isNotFound { return false } }
        return (try? library.generations.addresses().contains(address)) ?? true
    }

    /// Moves content from staging to its place.
    /// - Parameter replaces: in one step, where a directory stands there.
    func place(
        _ names: StagingNames, at address: StoreAddress, in parent: Directory, replaces: Bool
    ) throws(SystemError) {
        if replaces, try parent.status(of: address.name.path)?.kind == .directory {
            try replaceContent(at: address, in: parent, by: names)
        } else {
            try clearPlace(address.name, in: parent, displacingTo: names)
            try moveContent(of: names, to: address.name, in: parent)
        }
    }

    /// The receipt is complete and on the disk before anything moves.
    func writeReceipt(_ receipt: Receipt, of names: StagingNames) throws(SystemError) {
        let file = try library.staging.open(names.receipt, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try file.setMode(LibraryLayout.fileMode)
        try ReceiptWriter.write(receipt, to: file)
        try file.synchronize()
    }

    /// `store/MANIFEST/BUNDLE`, made when missing and then flushed into its parents.
    func openPlace(of bundle: BundleAddress) throws(SystemError) -> Directory {
        try library.storeDirectory.durableSubdirectory(bundle.manifest.path)
            .durableSubdirectory(bundle.bundle.path)
    }

    /// Takes away what stands in the way: a receipt without content, or content that isn't believed. The receipt goes for good before the
    /// content does. The content is moved out of the way in one step, and removed afterwards.
    func clearPlace(_ name: StoreName, in parent: Directory, displacingTo names: StagingNames) throws(SystemError) {
        if try parent.status(of: name.receiptPath) != nil {
            try parent.removeTree(name.receiptPath)
            try parent.synchronize()
        }
        guard try parent.status(of: name.path) != nil else { return }
        try parent.rename(name.path, to: names.displaced, in: library.staging)
        try parent.synchronize()
        try library.staging.removeTree(names.displaced)
    }

    func moveContent(of names: StagingNames, to name: StoreName, in parent: Directory) throws(SystemError) {
        try library.staging.rename(names.content, to: name.path, in: parent, replacing: false)
    }

    func moveReceipt(of names: StagingNames, to name: StoreName, in parent: Directory) throws(SystemError) {
        try library.staging.rename(names.receipt, to: name.receiptPath, in: parent)
        // For both names. From here on the content is in the store whatever happens.
        try parent.synchronize()
    }
}
