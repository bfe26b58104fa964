import Glibc
import Platform

/// What was lost of `current` and of the kept generations is put back by what is left: nothing of it needs to be fetched, and as long as it is missing
/// nobody can tell what is still needed.
extension LibraryWriter {
    /// Makes a generation current again where `current` is lost, or names none that is here.
    /// - Returns: what was done, in a line; nil for nothing.
    /// - Throws: `damaged` where something stands in its place that is no link: that may be all that somebody has.
    func restoreCurrent() throws(LibraryError) -> String? {
        guard let loss = try library.currentLoss() else { return nil }
        guard let number = try library.currentGeneration() else {
            try translating { () throws(SystemError) in
                try library.root.remove(LibraryLayout.current)
                try library.root.synchronize()
            }
            return "\(loss), and there is no generation: nothing is published any more"
        }
        try translating { () throws(SystemError) in try makeCurrent(number) }
        return "\(loss): generation \(number.value) was made current"
    }

    /// Puts back what generations have lost, as far as that can be done: what can't is no trouble of whoever doesn't need it.
    /// - Parameters:
    ///   - scrutiny: how closely each is looked at.
    ///   - current: the same of the one that readers see.
    /// - Returns: what was put back, and what could not be, in a line for each generation.
    package func restoreGenerations(
        _ scrutiny: GenerationScrutiny, current: GenerationScrutiny
    ) throws(LibraryError) -> [String] {
        let currentNumber = try? library.generations.currentNumber()
        var notes: [String] = []
        for number in try library.generations.numbers() {
            // One that can't be read is told by whoever needs it.
            guard let generation = try? library.generations.open(number) else { continue }
            let isCurrent = number == currentNumber
            let restoration = restore(generation, isCurrent ? current : scrutiny)
            if isCurrent { state.withLock { $0.isCurrentImpaired = restoration.isImpaired } }
            if restoration.count > 0 {
                notes.append(
                    "what generation \(number.value) had lost is put back: \(restoration.count) of its links and files"
                )
            }
            if generation.list == nil, let doubt = (try? library.doubt(about: generation)) ?? nil {
                notes.append(doubt)
            }
            if let trouble = restoration.trouble {
                notes.append("what generation \(number.value) has lost could not be put back: \(trouble)")
            }
        }
        return notes
    }

    /// Puts back what a generation has lost, before readers are led to it.
    /// - Throws: where that can't be done.
    func bringBack(_ number: GenerationNumber) throws(LibraryError) {
        let generation = try library.generations.open(number)
        let restoration = restore(generation, .links)
        if let trouble = restoration.trouble { throw trouble }
        guard restoration.isImpaired else { return }
        let problem = try generation.linkProblems().first ?? "it isn't as it was published"
        throw LibraryError(.damaged, "generation \(number.value) can't be gone back to: \(problem)")
    }

    /// What became of an attempt to put back what a generation had lost.
    private struct Restoration {
        var count = 0
        /// The first thing that stood in the way.
        var trouble: LibraryError?
        /// Whether readers may not find what was published.
        var isImpaired = false
    }

    private func restore(_ generation: Generation, _ scrutiny: GenerationScrutiny) -> Restoration {
        var restoration = Restoration()
        do throws(LibraryError) {
            for loss in try generation.losses(scrutiny) {
                if case .occupied = loss { restoration.isImpaired = true }
                // Only who repairs takes the time for it.
                if case .more = loss, scrutiny < .bytes { continue }
                do throws(LibraryError) {
                    if try restore(loss, of: generation) { restoration.count += 1 }
                } catch {
                    restoration.trouble = restoration.trouble ?? error
                }
            }
        } catch {
            restoration.trouble = error
        }
        restoration.isImpaired = restoration.isImpaired || restoration.trouble != nil
        return restoration
    }

    /// What readers don't find as it was published, a line each, where that could not be put back; manifests excepted, which a sync brings back itself.
    package func unrestoredProblems() throws(LibraryError) -> [String] {
        guard state.withLock({ $0.isCurrentImpaired }) else { return [] }
        return try library.generations.current()?.linkProblems() ?? []
    }

    /// Puts manifests back wherever they were published and are lost, or aren't what they were.
    /// - Parameter manifests: as they were read just now.
    /// - Throws: what stood in the way of the first that could not be put back; the others are.
    package func restore(_ manifests: [ContentID: [UInt8]]) throws(LibraryError) {
        var trouble: LibraryError?
        let digests = manifests.mapValues { SHA256.digest(of: $0) }
        for number in try library.generations.numbers() {
            guard let generation = try? library.generations.open(number) else { continue }
            for (id, bytes) in manifests where generation.list?.manifests[id]?.sha256 == digests[id] {
                do throws(LibraryError) {
                    guard try generation.directory.holds(.directory, at: id.path),
                        try generation.manifestBytes(id) != bytes
                    else { continue }
                    try write(bytes, of: id, to: generation)
                } catch {
                    trouble = trouble ?? error
                }
            }
        }
        if let trouble { throw trouble }
    }

    /// Puts a signature beside exactly this manifest wherever it is published with another one, or none.
    /// - Throws: the first error, once all generations have been tried.
    package func keep(_ signature: [UInt8], of id: ContentID, _ bytes: [UInt8]) throws(LibraryError) {
        let digest = SHA256.digest(of: bytes)
        var trouble: LibraryError?
        for number in try library.generations.numbers() {
            guard let generation = try? library.generations.open(number),
                generation.list?.manifests[id]?.sha256 == digest, generation.signature(of: id) != signature
            else { continue }
            do throws(LibraryError) {
                try write(signature, to: LibraryLayout.signatureFile, of: id, in: generation)
            } catch { trouble = trouble ?? error }
        }
        if let trouble { throw trouble }
    }

    /// - Returns: whether anything was put back that readers, or the next run, see.
    private func restore(_ loss: GenerationLoss, of generation: Generation) throws(LibraryError) -> Bool {
        switch loss {
        case .occupied: return false
        case .more:
            try settleList(of: generation)
            return false
        case .list:
            try restoreList(of: generation)
            return false
        case .directory(let id):
            try restoreDirectory(id, in: generation)
            _ = try restoreManifest(id, of: generation)
            return true
        case .manifest(let id, _): return try restoreManifest(id, of: generation)
        case .link(let bundle, _):
            try restoreLink(of: bundle, in: generation)
            return true
        }
    }

    /// Of a generation that an older program has published, or whose list was damaged.
    private func restoreList(of generation: Generation) throws(LibraryError) {
        var list: [ContentID: GenerationList.Manifest] = [:]
        for (id, bundles) in generation.manifests {
            let bytes = try generation.manifestBytes(id)
            list[id] = GenerationList.Manifest(sha256: bytes.map { SHA256.digest(of: $0) }, bundles: bundles)
        }
        let made = GenerationList(list, isIncomplete: try !library.bundlesMissed(by: generation).isEmpty)
        try change(generation) { directory throws(SystemError) in
            try directory.removeTree(LibraryLayout.generationList)
            try directory.replaceFile(
                LibraryLayout.generationList, with: made.encoded(as: generation.number), flush: true)
        }
    }

    /// Takes a list that had to be made anew for all that there was, where the store has nothing else that the generation may have led to: then a sync
    /// can bring it, as anything that a manifest asks for, and there is nothing to be kept for it.
    private func settleList(of generation: Generation) throws(LibraryError) {
        guard let list = generation.list,
            try library.contents(of: library.bundlesMissed(by: generation)).isEmpty
        else { return }
        try change(generation) { directory throws(SystemError) in
            try directory.replaceFile(
                LibraryLayout.generationList, with: GenerationList(list.manifests).encoded(as: generation.number),
                flush: true)
        }
    }

    private func restoreDirectory(_ id: ContentID, in generation: Generation) throws(LibraryError) {
        try change(generation) { directory throws(SystemError) in
            let holder = try directory.durableSubdirectory(id.path)
            for (bundle, name) in generation.manifests[id] ?? [:] {
                try holder.putLink(
                    bundle.path,
                    to: StoreAddress(bundle: BundleAddress(manifest: id, bundle: bundle), name: name))
            }
            try holder.synchronize()
        }
    }

    private func restoreLink(of bundle: BundleAddress, in generation: Generation) throws(LibraryError) {
        guard let name = generation.manifests[bundle.manifest]?[bundle.bundle] else { return }
        try translating { () throws(SystemError) in
            let holder = try generation.directory.subdirectory(bundle.manifest.path)
            try holder.putLink(bundle.bundle.path, to: StoreAddress(bundle: bundle, name: name))
            try holder.synchronize()
        }
    }

    /// - Returns: whether its bytes were to be had.
    private func restoreManifest(_ id: ContentID, of generation: Generation) throws(LibraryError) -> Bool {
        guard let digest = generation.list?.manifests[id]?.sha256, let bytes = try publishedBytes(of: id, digest)
        else { return false }
        try write(bytes, of: id, to: generation)
        return true
    }

    private func write(_ bytes: [UInt8], of id: ContentID, to generation: Generation) throws(LibraryError) {
        try write(bytes, to: LibraryLayout.manifestFile, of: id, in: generation)
    }

    private func write(
        _ bytes: [UInt8], to name: RelativePath, of id: ContentID, in generation: Generation
    ) throws(LibraryError) {
        try translating { () throws(SystemError) in
            let holder = try generation.directory.subdirectory(id.path)
            if let kind = try holder.status(of: name)?.kind, kind != .file { try holder.removeTree(name) }
            try holder.replaceFile(name, with: bytes, mode: LibraryLayout.fileMode, flush: true)
        }
    }

    /// The same bytes in another generation.
    private func publishedBytes(of id: ContentID, _ digest: SHA256Digest) throws(LibraryError) -> [UInt8]? {
        for number in try library.generations.numbers() {
            guard let other = try? library.generations.open(number), other.list?.manifests[id]?.sha256 == digest,
                let bytes = try other.manifestBytes(id)
            else { continue }
            return bytes
        }
        return nil
    }

    /// Changes the directory of a generation, which keeps the time at which it was published.
    private func change(
        _ generation: Generation, _ body: (Directory) throws(SystemError) -> Void
    ) throws(LibraryError) {
        try translating { () throws(SystemError) in
            let published = try generation.directory.descriptor.status().modified
            try body(generation.directory)
            try generation.directory.descriptor.setModificationTime(published)
            try generation.directory.synchronize()
        }
    }
}

extension Directory {
    /// Makes a link to content, or replaces what leads elsewhere, in one step.
    fileprivate func putLink(_ name: RelativePath, to content: StoreAddress) throws(SystemError) {
        guard try status(of: name) != nil else { return try makeSymbolicLink(name, target: content.linkTarget) }
        let temporary = LibraryLayout.newLink(name)
        if try status(of: temporary) != nil { try removeTree(temporary) }
        try makeSymbolicLink(temporary, target: content.linkTarget)
        try rename(temporary, to: name)
    }
}

extension Library {
    /// What is wrong with `current`, in a few words; nil for nothing.
    /// - Throws: `damaged` where something stands there that is no link.
    func currentLoss() throws(LibraryError) -> String? {
        let name = "\(root.name)/\(LibraryLayout.current)"
        let number: GenerationNumber?
        do throws(LibraryError) { number = try generations.currentNumber() } catch {
            guard error.code == .damaged, try root.holds(.symbolicLink, at: LibraryLayout.current) else { throw error }
            return "\(name) leads to none of the generations"
        }
        guard let number else { return try generations.numbers().isEmpty ? nil : "\(name) is missing" }
        return try generations.contains(number) ? nil : "\(name) leads to generation \(number.value), which isn't there"
    }

    /// The generation that is current, or that would be where `current` is lost: the one at which the library is held, or else the newest that is
    /// whole, or at least readable; nil where there is none.
    package func currentGeneration() throws(LibraryError) -> GenerationNumber? {
        if try currentLoss() == nil { return try generations.currentNumber() }
        // A pin that can't be read holds all the same, but doesn't tell where.
        let held = (try? pin())?.generation
        let candidates = try [held].compactMap(\.self) + generations.numbers().reversed()
        var readable: GenerationNumber?
        for number in candidates {
            guard try generations.contains(number), let generation = try? generations.open(number) else { continue }
            readable = readable ?? number
            if generation.addresses.allSatisfy({ (try? store.open($0)) != nil }) { return number }
        }
        return readable
    }
}
