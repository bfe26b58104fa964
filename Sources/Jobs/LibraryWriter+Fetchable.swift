import BundleManifest
import ContentLibrary

extension LibraryWriter {
    /// Lets go of what earlier runs had brought of bundles that nobody wants, as far as it can be fetched again: recordings can't.
    /// - Returns: how many bytes that gave back to the file system.
    func discardFetchable(unless isWanted: (BundleAddress) -> Bool) throws(LibraryError) -> Int64 {
        let kept = salvagedBundles.filter { isWanted($0) || salvage(of: $0)?.holdsRecords == true }
        return try discardSalvage { kept.contains($0) }
    }
}
