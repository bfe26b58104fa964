import Platform

extension Library {
    /// What lies in the library's own directories, and is none of its own: paths beneath the library. Nothing is done about it, but a person may want to
    /// know. What a run takes away meanwhile is passed over.
    package func strays() throws(LibraryError) -> [String] {
        try translating { () throws(SystemError) in
            try straysOutside() + straysInGenerations() + straysInStore()
        }.sorted()
    }

    private static let ownNames = LibrarySetup.ownNames.union([LibrarySetup.fileSystemFolder])

    private static let ownInternals = Set(
        LibrarySetup.internalFolders + [
            LibraryLayout.lock, LibraryLayout.pin, LibraryLayout.stateIndex, LibraryLayout.stateJournal,
            LibraryLayout.nextCurrent,
        ])

    private func straysOutside() throws(SystemError) -> [String] {
        let own = Self.ownInternals.union(try internals.temporarySiblings(of: LibraryLayout.pin))
        let inside = try internals.names().filter { !own.contains($0) }
        return try root.names().filter { !Self.ownNames.contains($0) }.map(\.description)
            + inside.map { "\(LibraryLayout.internals)/\($0)" }
    }

    private func straysInGenerations() throws(SystemError) -> [String] {
        var found: [String] = []
        for name in try generationsDirectory.names() where !GenerationNumber.isInProgress(name) {
            let path = "\(LibraryLayout.generations)/\(name)"
            guard let number = GenerationNumber(name.bytes),
                let directory = try self.directory(name, in: generationsDirectory)
            else {
                if try generationsDirectory.status(of: name) != nil { found.append(path) }
                continue
            }
            // Without a list nobody can tell.
            guard let list = GenerationList(of: number, in: directory) else { continue }
            var own = Set(list.manifests.keys.map(\.path)).union([LibraryLayout.generationList])
            // What a restoration that was killed was about to put in their places.
            own.formUnion(try directory.temporarySiblings(of: LibraryLayout.generationList))
            found += try directory.names().filter { !own.contains($0) }.map { "\(path)/\($0)" }
            for (id, manifest) in list.manifests {
                guard let holder = try self.directory(id.path, in: directory) else { continue }
                var own = Set(manifest.bundles.keys.flatMap { [$0.path, LibraryLayout.newLink($0.path)] })
                for file in [LibraryLayout.manifestFile, LibraryLayout.signatureFile] {
                    own.insert(file)
                    own.formUnion(try holder.temporarySiblings(of: file))
                }
                found += try holder.names().filter { !own.contains($0) }.map { "\(path)/\(id)/\($0)" }
            }
        }
        return found
    }

    private func straysInStore() throws(SystemError) -> [String] {
        var found: [String] = []
        for manifest in try storeDirectory.names() {
            let path = "\(LibraryLayout.store)/\(manifest)"
            guard ContentID(manifest) != nil, let holder = try directory(manifest, in: storeDirectory) else {
                if try storeDirectory.status(of: manifest) != nil { found.append(path) }
                continue
            }
            for bundle in try holder.names() {
                guard ContentID(bundle) != nil, let contents = try directory(bundle, in: holder) else {
                    if try holder.status(of: bundle) != nil { found.append("\(path)/\(bundle)") }
                    continue
                }
                found += try contents.names().filter { StoreName(storeEntry: $0) == nil }
                    .map { "\(path)/\(bundle)/\($0)" }
            }
        }
        return found
    }
}
