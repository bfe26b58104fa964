import Glibc
import Platform

/// From the store to the readers: a new generation, complete and on the disk before `current` names it.
extension LibraryWriter {
    /// Publishes `draft`.
    /// - Returns: nil when it says nothing new; then there is no new generation.
    package func publish(_ draft: GenerationDraft) throws(LibraryError) -> Generation? {
        guard try draft.differsFromBase() else { return nil }
        try library.checkPlace()
        let number = try nextNumber()
        let directory = try translating { () throws(SystemError) in
            try write(draft, as: number)
            let directory = try moveIntoPlace(number)
            try makeCurrent(number)
            return directory
        }
        let generation = try Generation(number: number, directory: directory)
        state.withLock { $0.unpublished.subtract(generation.addresses) }
        return generation
    }

    /// One more than any that is kept. The highest is always kept, so no number is used twice.
    private func nextNumber() throws(LibraryError) -> GenerationNumber {
        let generations = library.generations
        let highest = max(try generations.highestName(), try generations.currentNumber()?.value ?? 0)
        guard let number = GenerationNumber(highest + 1) else {
            throw LibraryError(
                .damaged, "\(generations.directory.name) holds a generation \(highest): no number is left")
        }
        return number
    }

    /// Writes the generation under a name that no reader follows, and flushes it.
    func write(_ draft: GenerationDraft, as number: GenerationNumber) throws(SystemError) {
        let generations = library.generationsDirectory
        try generations.removeTree(number.newPath)
        try generations.makeDirectory(number.newPath)
        let directory = try generations.subdirectory(number.newPath)
        try directory.descriptor.setMode(LibraryLayout.directoryMode)
        var list: [ContentID: GenerationList.Manifest] = [:]
        for (manifest, content) in draft.manifests {
            try directory.makeDirectory(manifest.path)
            let holder = try directory.subdirectory(manifest.path)
            try holder.descriptor.setMode(LibraryLayout.directoryMode)
            let digest = try writeManifestFile(manifest, content, base: draft.base, in: holder)
            list[manifest] = GenerationList.Manifest(sha256: digest, bundles: content.bundles)
            for (bundle, name) in content.bundles {
                let address = StoreAddress(bundle: BundleAddress(manifest: manifest, bundle: bundle), name: name)
                try holder.makeSymbolicLink(bundle.path, target: address.linkTarget)
            }
        }
        try directory.writeNew(GenerationList(list).encoded(as: number), to: LibraryLayout.generationList)
        try generations.synchronizeTree(number.newPath)
    }

    /// - Returns: the digest of what was published, which may not be what is here of it.
    private func writeManifestFile(
        _ manifest: ContentID, _ content: GenerationDraft.Manifest, base: Generation?, in holder: Directory
    ) throws(SystemError) -> SHA256Digest? {
        if let bytes = content.bytes {
            try holder.writeNew(bytes, to: LibraryLayout.manifestFile)
            let digest = SHA256.digest(of: bytes)
            let kept = base?.list?.manifests[manifest]?.sha256 == digest ? base?.signature(of: manifest) : nil
            if let signature = content.signature ?? kept {
                try holder.writeNew(signature, to: LibraryLayout.signatureFile)
            }
            return digest
        }
        let known = base?.list?.manifests[manifest]?.sha256
        // What is lost of a manifest of another run keeps nobody from publishing, and isn't handed on.
        guard let bytes = try base?.readManifest(manifest) else { return known }
        try holder.writeNew(bytes, to: LibraryLayout.manifestFile)
        if let signature = base?.signature(of: manifest) {
            try holder.writeNew(signature, to: LibraryLayout.signatureFile)
        }
        return known ?? SHA256.digest(of: bytes)
    }

    /// Gives the generation its name, for good, before `current` can name it.
    func moveIntoPlace(_ number: GenerationNumber) throws(SystemError) -> Directory {
        let generations = library.generationsDirectory
        try generations.rename(number.newPath, to: number.path, replacing: false)
        try generations.synchronize()
        return try generations.subdirectory(number.path)
    }

    /// The one step that readers see.
    func makeCurrent(_ number: GenerationNumber) throws(SystemError) {
        let internals = library.internals
        if try internals.status(of: LibraryLayout.nextCurrent) != nil {
            try internals.remove(LibraryLayout.nextCurrent)
        }
        try internals.makeSymbolicLink(LibraryLayout.nextCurrent, target: number.linkTarget)
        try internals.rename(LibraryLayout.nextCurrent, to: LibraryLayout.current, in: library.root)
        // Only after this is the publication reported: a power loss doesn't take it back.
        try library.root.synchronize()
    }
}

extension Directory {
    /// Writes a file that isn't there yet, for all to read whatever the umask is; doesn't flush it.
    func writeNew(_ bytes: [UInt8], to name: RelativePath) throws(SystemError) {
        let file = try open(name, flags: O_WRONLY | O_CREAT | O_EXCL, mode: LibraryLayout.fileMode)
        try file.setMode(LibraryLayout.fileMode)
        try file.write(bytes)
    }
}
