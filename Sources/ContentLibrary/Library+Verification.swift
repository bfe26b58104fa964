import Platform

extension Library {
    /// All content that is vouched for: what a kept generation names, whether or not it is there, and what is complete and not published yet.
    package func vouchedContents() throws(LibraryError) -> Set<StoreAddress> {
        var addresses = try generations.addresses()
        try translating { () throws(SystemError) in
            try forEachStoredBundle { bundle, directory throws(SystemError) in
                let names = Set(try directory.names())
                for name in names.compactMap({ StoreName($0.bytes) }) where names.contains(name.receiptPath) {
                    addresses.insert(StoreAddress(bundle: bundle, name: name))
                }
            }
        }
        return addresses
    }

    /// What is wrong with `current`, and with each kept generation, in a line.
    package func generationProblems() throws(LibraryError) -> [String] {
        var problems: [String] = []
        do throws(LibraryError) { _ = try generations.currentNumber() } catch { problems.append(error.message) }
        for number in try generations.numbers() {
            do throws(LibraryError) {
                let generation = try generations.open(number)
                for manifest in generation.manifests.keys.sorted()
                where try generation.manifestBytes(manifest) == nil {
                    problems.append(
                        "\(generation.directory.name)/\(manifest) has no \(LibraryLayout.manifestFile); sync the manifest again"
                    )
                }
            } catch {
                // One that was collected meanwhile is no damage.
                if try generations.numbers().contains(number) { problems.append(error.message) }
            }
        }
        return problems
    }

    /// What a generation names while nothing of it is there that could be believed; nil where that isn't so, or not any more.
    package func damageOfUnbelieved(_ address: StoreAddress) throws(LibraryError) -> ContentDamage? {
        guard try generations.addresses().contains(address), try store.open(address) == nil else { return nil }
        let parent = try? store.bundleDirectory(address.bundle)
        guard (try? parent?.status(of: address.name.path))?.kind == .directory else {
            return ContentDamage(nil, .missing)
        }
        return ContentDamage(nil, .receipt("its receipt is missing, damaged, or of something else"))
    }
}

extension StoredContent {
    /// What tells this content, with its receipt, from what may stand in its place later; nil where it is gone.
    package var identity: ContentIdentity? {
        guard let parent = try? store.bundleDirectory(address.bundle),
            let directory = try? parent.status(of: address.name.path),
            let receipt = try? parent.status(of: address.name.receiptPath)
        else { return nil }
        return ContentIdentity(directory: directory.identity, receipt: receipt.identity)
    }
}

/// The files on disk that content was made of.
package struct ContentIdentity: Hashable, Sendable {
    fileprivate let directory: [UInt64]
    fileprivate let receipt: [UInt64]
}
