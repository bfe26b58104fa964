import Glibc
import Platform

/// From staging into the store.
///
/// Content is believed where both it and its receipt have their names, and each of the two is whole and on the disk before it gets its own.
/// So whichever of the names a crash leaves alone is not believed, and the next commit or collection clears it. A name that is to be used again
/// loses its receipt first, and for good, so that an old receipt never vouches for new content. The content goes last: until then it lies in
/// staging, with all that the next run needs to go on with it.
extension LibraryWriter {
    /// Puts sealed content into the store. Where the store has the same content already, that stays and the staged one goes.
    /// - Parameter sources: what was fetched for it, in the order of the manifest.
    package func commit(
        _ content: SealedContent, origin: Receipt.Origin, sources: [Receipt.Source]
    ) throws(LibraryError) -> StoredContent {
        let address = origin.address
        state.withLock { _ = $0.unpublished.insert(address) }
        if let present = try library.store.find(origin) {
            try content.staging.discard()
            try discardSalvage(of: address.bundle)
            return present
        }
        let receipt = Receipt(origin: origin, sources: sources, entries: content.entries)
        try translating { () throws(SystemError) in
            try writeReceipt(receipt, of: content.staging)
            let parent = try openPlace(of: address.bundle)
            try clearPlace(address.name, in: parent, displacingTo: content.staging)
            try moveReceipt(of: content.staging, to: address.name, in: parent)
            try moveContent(of: content.staging, to: address.name, in: parent)
            try content.staging.didCommit()
        }
        try discardSalvage(of: address.bundle)
        return StoredContent(address: address, store: library.store, header: receipt.header)
    }

    /// The receipt is complete and on the disk before anything moves.
    func writeReceipt(_ receipt: Receipt, of staging: Staging) throws(SystemError) {
        let file = try staging.parent.open(staging.receiptName, flags: O_WRONLY | O_CREAT | O_TRUNC)
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
    func clearPlace(_ name: StoreName, in parent: Directory, displacingTo staging: Staging) throws(SystemError) {
        if try parent.status(of: name.receiptPath) != nil {
            try parent.removeTree(name.receiptPath)
            try parent.synchronize()
        }
        guard try parent.status(of: name.path) != nil else { return }
        try parent.rename(name.path, to: staging.displacedName, in: staging.parent)
        try parent.synchronize()
        try staging.parent.removeTree(staging.displacedName)
    }

    func moveReceipt(of staging: Staging, to name: StoreName, in parent: Directory) throws(SystemError) {
        try staging.parent.rename(staging.receiptName, to: name.receiptPath, in: parent)
    }

    func moveContent(of staging: Staging, to name: StoreName, in parent: Directory) throws(SystemError) {
        try staging.parent.rename(staging.name, to: name.path, in: parent, replacing: false)
        // For both names. From here on the content is in the store whatever happens.
        try parent.synchronize()
    }
}
