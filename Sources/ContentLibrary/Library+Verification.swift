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
        var problems = try [currentProblem()].compactMap(\.self)
        // Where nobody can tell what is current, no sync is told not to help.
        let current = (try? currentGeneration()) ?? nil
        for number in try generations.numbers() {
            let found: [String]
            do throws(LibraryError) {
                found = try generations.open(number).problems(.bytes, isOld: current.map { $0 != number } ?? false)
            } catch {
                found = [error.message]
            }
            // One that was collected meanwhile is no damage, and what of it was gone before its name tells nothing.
            if !found.isEmpty, try generations.contains(number) { problems += found }
        }
        return problems
    }

    /// What is wrong with `current`, in a line; nil for nothing.
    package func currentProblem() throws(LibraryError) -> String? {
        do throws(LibraryError) {
            if let loss = try currentLoss() { return "\(loss); \(Generations.wayBack)" }
        } catch {
            guard error.code == .damaged else { throw error }
            return error.message
        }
        guard try generations.numbers().isEmpty, let recorded = try? readStateIndex()?.recordedGeneration(),
            recorded > 0
        else { return nil }
        return
            "no generation is here any more, though \(recorded) had been published; sync their manifests again: what is in the store isn't fetched again"
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
