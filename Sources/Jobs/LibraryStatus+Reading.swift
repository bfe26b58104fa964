import ContentLibrary
import Downloads
import JSONSyntax
import Platform

extension LibraryStatus {
    /// Looks at a library.
    /// - Parameters:
    ///   - selection: which bundles; nil for all.
    ///   - withSources: also reads the digest of each source of each content.
    /// - Throws: where there is no library, or not even `current` can be read.
    /// - Complexity: linear in the bundles, whatever they hold; `withSources` in their sources, too.
    package init(
        of library: Library, only selection: BundleSelection? = nil, withSources: Bool = false,
        at time: Timestamp = .now
    ) throws(LibraryError) {
        self.time = time
        path = absolutePath(library.path)
        var problems = try [library.currentProblem()].compactMap(\.self)
        // Of the one that `current` doesn't name readers see nothing.
        let generation = problems.isEmpty ? try library.generations.current() : nil
        problems += try generation?.problems(.names) ?? []
        current = generation?.number
        published = library.generations.currentTime
        generations = try library.generations.numbers()
        writingProcess = library.writingProcess
        do throws(LibraryError) { pin = try library.pin() } catch {
            pin = nil
            problems.append(error.message)
        }
        let index = library.readStateIndex()
        hasIndex = index != nil
        lastRun = (try? index?.runs(limit: 1))?.first
        refusals = (try? index?.refusals()) ?? []
        let reader = ManifestStatusReader(
            library: library, generation: generation, index: index, withSources: withSources)
        var manifests: [ManifestStatus] = []
        for manifest in reader.manifests where selection?.mayHave(bundleOf: manifest) ?? true {
            if let status = try reader.status(of: manifest, only: selection) { manifests.append(status) }
        }
        self.manifests = manifests
        do throws(DownloadError) {
            unfinished = try ResumeStore(directory: library.partial).unfinishedDownloads()
        } catch {
            unfinished = []
            problems.append("\(error)")
        }
        let space = try? library.partial.descriptor.fileSystemSpace()
        disk = Disk(
            freeBytes: space?.free, totalBytes: space?.total,
            unfinishedBytes: unfinished.reduce(0) { $0.addingClamped($1.diskBytes) },
            quarantineBytes: library.quarantinedBytes)
        self.problems = problems
    }
}

/// Puts together what is known of manifests, from what is published and from the index.
private struct ManifestStatusReader {
    let library: Library
    let generation: Generation?
    let index: StateIndex?
    let withSources: Bool
    private let records: [SHA256Digest: ManifestRecord]
    /// What a verification found.
    private let damaged: Set<StoreAddress>
    private let staged: [BundleAddress: (files: Int, bytes: Int64)]

    init(library: Library, generation: Generation?, index: StateIndex?, withSources: Bool) {
        (self.library, self.generation, self.index, self.withSources) = (library, generation, index, withSources)
        records = (try? index?.publishedManifests()) ?? [:]
        damaged = (try? index?.damagedContents()) ?? []
        staged = library.stagedFigures()
    }

    /// Those that readers see, and those of which any bundle is known.
    var manifests: [ContentID] {
        let known = (try? index?.knownManifests()) ?? []
        return Set(generation?.manifests.keys.map(\.self) ?? []).union(known).union(staged.keys.map(\.manifest))
            .sorted()
    }

    /// - Returns: nil where none of its bundles was asked for.
    func status(of manifest: ContentID, only selection: BundleSelection?) throws(LibraryError) -> ManifestStatus? {
        let contents = generation?.manifests[manifest] ?? [:]
        let outcomes = (try? index?.bundles(of: manifest)) ?? [:]
        let facts = try publishedFacts(of: manifest, contents: contents.count)
        let isWanted = { (bundle: ContentID) in
            selection?.has(BundleAddress(manifest: manifest, bundle: bundle)) ?? true
        }
        let ids = Set(contents.keys).union(outcomes.keys).union(facts.bundles)
            .union(staged.keys.filter { $0.manifest == manifest }.map(\.bundle)).filter(isWanted).sorted()
        guard !ids.isEmpty || selection == nil else { return nil }
        let summaries = library.store.summaries(
            of: manifest, contents.filter { isWanted($0.key) }, withSources: withSources)
        let bundles = ids.map { id in
            let address = BundleAddress(manifest: manifest, bundle: id)
            let staged = staged[address]
            let isDamaged = contents[id].map { name in
                summaries[id] == nil || damaged.contains(StoreAddress(bundle: address, name: name))
            }
            return BundleStatus(
                id: id,
                state: state(
                    isDamaged: isDamaged ?? false, summaries[id], outcomes[id], isSettled: facts.lastComplete != nil,
                    isStaged: staged != nil),
                content: summaries[id], record: outcomes[id], staged: staged)
        }
        return ManifestStatus(
            id: manifest, serial: facts.serial, expires: facts.expires, lastSuccess: facts.lastSuccess,
            lastComplete: facts.lastComplete, bundles: bundles)
    }

    private func state(
        isDamaged: Bool, _ content: ContentSummary?, _ record: BundleRecord?, isSettled: Bool, isStaged: Bool
    ) -> BundleStatus.State {
        if isDamaged { return .damaged }
        if record?.pause != nil || isStaged { return .paused }
        if record?.failure != nil { return .failed }
        guard content != nil else { return .missing }
        return record?.lastSuccess != nil || isSettled ? .upToDate : .published
    }

    private struct Facts {
        var serial: Int?
        var expires: Timestamp?
        var lastSuccess: Timestamp?
        var lastComplete: Timestamp?
        /// All of its bundles, where there may be others than those that are published.
        var bundles: [ContentID] = []
    }

    /// What the published manifest says. Mostly the index has read it already, and knows these bytes by their digest; else they are read, which takes a
    /// while where they are many.
    private func publishedFacts(of manifest: ContentID, contents: Int) throws(LibraryError) -> Facts {
        guard let bytes = try generation?.manifestBytes(manifest) else { return Facts() }
        var facts = Facts()
        if let record = records[SHA256.digest(of: bytes)], record.manifest == manifest {
            facts = Facts(
                serial: record.serial, expires: record.expires, lastSuccess: record.lastSuccess,
                lastComplete: record.lastComplete)
            guard record.bundleCount != contents else { return facts }
        }
        guard let root = try? JSONDocument(bytes, name: manifest.description).root else { return facts }
        facts.serial = root["serial"]?.integer
        facts.expires = root["expires"]?.string.flatMap { Timestamp(rfc3339: $0) }
        facts.bundles = root.bundleIDs
        return facts
    }
}
