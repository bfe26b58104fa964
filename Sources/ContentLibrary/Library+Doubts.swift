import JSONSyntax
import Platform

/// What a generation may have held beyond what it leads to, where the list of what it was published with is lost, or had to be made anew.
extension Library {
    /// Tells what nobody can tell of a generation; nil where its list does, or nothing speaks for more than what is there.
    func doubt(about generation: Generation) throws(LibraryError) -> String? {
        guard generation.mayHaveHeldMore else { return nil }
        let missed = try bundlesMissed(by: generation).sorted()
        guard !missed.isEmpty else { return nil }
        let names = missed.prefix(Self.shownBundles).map { "\($0)" }.joined(separator: ", ")
        let more = missed.count > Self.shownBundles ? " and \(missed.count - Self.shownBundles) others" : ""
        return
            "generation \(generation.number.value) has lost the list of what it was published with: it may have held \(names)\(more), too, and doesn't lead there any more. What the store has of that stays as long as the generation; larder sync publishes what a manifest asks for"
    }

    /// The same of the generation of a number.
    package func doubt(about number: GenerationNumber) throws(LibraryError) -> String? {
        try doubt(about: generations.open(number))
    }

    private static let shownBundles = 5

    /// Bundles that a generation doesn't lead to and may have led to: those that its manifests name, though some may have failed then; and of what is
    /// no manifest of its own that can be read, all of which the store had content already.
    /// - Complexity: reads the generation's manifests, and the header of each receipt that is doubtful.
    func bundlesMissed(by generation: Generation) throws(LibraryError) -> Set<BundleAddress> {
        var missed: Set<BundleAddress> = []
        var told: Set<ContentID> = []
        for (manifest, bundles) in generation.manifests {
            guard let document = try generation.document(of: manifest) else { continue }
            told.insert(manifest)
            for bundle in document.root.bundleIDs where bundles[bundle] == nil {
                missed.insert(BundleAddress(manifest: manifest, bundle: bundle))
            }
        }
        let published = try translating { () throws(SystemError) in
            try generation.directory.descriptor.status().modified
        }
        for address in try contents() where !told.contains(address.bundle.manifest) {
            guard generation.manifests[address.bundle.manifest]?[address.bundle.bundle] == nil else { continue }
            // What a receipt doesn't tell may be as old as anything.
            if let content = try store.open(address), content.header.origin.created > published { continue }
            missed.insert(address.bundle)
        }
        return missed
    }

    /// All that has a name in the store.
    /// - Parameter bundles: of these alone; nil: of all.
    func contents(of bundles: Set<BundleAddress>? = nil) throws(LibraryError) -> Set<StoreAddress> {
        var addresses: Set<StoreAddress> = []
        try translating { () throws(SystemError) in
            try forEachStoredBundle { bundle, directory throws(SystemError) in
                guard bundles?.contains(bundle) ?? true else { return }
                for name in try directory.names().compactMap(StoreName.init(storeEntry:)) {
                    addresses.insert(StoreAddress(bundle: bundle, name: name))
                }
            }
        }
        return addresses
    }
}

extension Generation {
    /// Whether nothing tells for sure what it was published with.
    var mayHaveHeldMore: Bool { list?.isIncomplete ?? true }
}

extension JSONValue {
    /// The bundles that a manifest names, of its root.
    package var bundleIDs: [ContentID] {
        self["bundles"]?.elements.compactMap { $0["id"]?.string.flatMap { ContentID($0) } } ?? []
    }
}
