import Glibc
import Platform

/// The generations that are kept, and which of them is current.
package struct Generations: Sendable {
    let root: Directory
    let directory: Directory

    /// The number `current` names; nil before anything was published.
    package func currentNumber() throws(LibraryError) -> GenerationNumber? {
        let target: [UInt8]
        do { target = try root.linkTarget(of: LibraryLayout.current) } catch {
            if error.isNotFound { return nil }
            // EINVAL is what the kernel says of something that is no link, as in a copy that followed links.
            guard error.code == EINVAL else { throw LibraryError(error) }
            throw damaged("is not a symbolic link")
        }
        guard let number = GenerationNumber(linkTarget: target) else {
            throw damaged("leads to \(escapedText(target))")
        }
        return number
    }

    private func damaged(_ what: String) -> LibraryError {
        LibraryError(
            .damaged,
            "\(root.name)/\(LibraryLayout.current) \(what); make it a link to one of \(directory.name)/NNNNNN, or remove it"
        )
    }

    /// What brings back a `current` that is lost.
    static let wayBack = "the next sync, or larder verify --repair, makes the newest one current that is whole"

    /// When readers got what they see; nil where nothing was published, or nobody can tell.
    package var currentTime: Timestamp? {
        guard let number = try? currentNumber(), let status = try? directory.status(of: number.path) else { return nil }
        return status.modified
    }

    /// The generation that readers see; nil before anything was published.
    package func current() throws(LibraryError) -> Generation? {
        try currentNumber().map { number throws(LibraryError) in try open(number) }
    }

    /// Whether there is a generation of this number.
    func contains(_ number: GenerationNumber) throws(LibraryError) -> Bool {
        try directory.holds(.directory, at: number.path)
    }

    /// - Throws: also when there is no generation of that number.
    package func open(_ number: GenerationNumber) throws(LibraryError) -> Generation {
        let opened: Directory
        do throws(SystemError) { opened = try directory.subdirectory(number.path) } catch {
            guard error.isNotFound else { throw LibraryError(error) }
            throw LibraryError(.damaged, "there is no generation \(directory.name)/\(number); \(Self.wayBack)")
        }
        return try Generation(number: number, directory: opened)
    }

    /// The exact bytes of a manifest in a generation of which nothing else is looked at; nil where they aren't there.
    package func manifestBytes(of manifest: ContentID, in number: GenerationNumber) -> [UInt8]? {
        try? directory.subdirectory(number.path).subdirectory(manifest.path)
            .readFile(LibraryLayout.manifestFile, limitBytes: 1 << 30)
    }

    /// The signature that lies beside a manifest in such a generation, whatever it is worth; nil where none does.
    package func signature(of manifest: ContentID, in number: GenerationNumber) -> [UInt8]? {
        (try? directory.subdirectory(number.path))?.signature(of: manifest)
    }

    /// How many bundles a manifest has in a generation, as far as a look can tell: their content itself isn't opened.
    /// - Returns: nil where the content of one isn't there, or there is no such generation.
    /// - Complexity: two system calls a bundle.
    package func bundleCount(of manifest: ContentID, in number: GenerationNumber) -> Int? {
        guard let holder = try? directory.subdirectory(number.path).subdirectory(manifest.path),
            let bundles = try? holder.names().filter({ ContentID($0) != nil })
        else { return nil }
        return bundles.allSatisfy(holder.leadsToDirectory) ? bundles.count : nil
    }

    /// Whether readers find a bundle now.
    package func isCurrent(_ bundle: BundleAddress) throws(LibraryError) -> Bool {
        guard let number = try currentNumber(),
            let holder = try? directory.subdirectory(number.path).subdirectory(bundle.manifest.path)
        else { return false }
        return holder.leadsToDirectory(bundle.bundle.path)
    }

    /// The manifests that readers find now, by the names of their folders, in order.
    package func currentManifests() throws(LibraryError) -> [ContentID] {
        guard let number = try currentNumber() else { return [] }
        let names = try translating { () throws(SystemError) in try directory.subdirectory(number.path).names() }
        return names.compactMap { ContentID($0) }.sorted()
    }

    /// The bundles of a manifest that readers find now, by the names of their links, in order.
    package func currentBundles(of manifest: ContentID) throws(LibraryError) -> [BundleAddress] {
        guard let number = try currentNumber() else { return [] }
        let names = try translating { () throws(SystemError) in
            try directory.subdirectory(number.path).subdirectory(manifest.path).names()
        }
        return names.compactMap { ContentID($0) }.map { BundleAddress(manifest: manifest, bundle: $0) }.sorted()
    }

    /// The manifests in which readers find a bundle of this id now, in order.
    /// - Complexity: a few system calls a manifest.
    package func currentManifests(with bundle: ContentID) throws(LibraryError) -> [ContentID] {
        var manifests: [ContentID] = []
        for manifest in try currentManifests() {
            if try isCurrent(BundleAddress(manifest: manifest, bundle: bundle)) { manifests.append(manifest) }
        }
        return manifests
    }

    /// Holds the current generation: collection leaves it alone for as long as its directory stays open, here or in a child that inherits it.
    /// - Parameter pause: between two tries.
    /// - Returns: nil before anything was published.
    package func holdCurrent(
        pause: () -> Void = Generations.pauseShortly
    ) throws(LibraryError) -> (number: GenerationNumber, directory: Directory)? {
        // Between looking and locking it may be replaced, and removed: then there is a newer one.
        var missing: GenerationNumber?
        for _ in 0..<Self.holdAttempts {
            guard let number = try currentNumber() else { return nil }
            if try !contains(number) {
                if missing == number { _ = try open(number) }
                missing = number
            }
            let held = try translating { () throws(SystemError) -> Directory? in
                guard try directory.status(of: number.path) != nil else { return nil }
                let opened = try directory.subdirectory(number.path)
                guard try opened.descriptor.lock(exclusive: false) else { return nil }
                let isStillThere = try directory.status(of: number.path)?.inode == opened.descriptor.status().inode
                return isStillThere ? opened : nil
            }
            if let held { return (number, held) }
            // Whoever looks whether somebody holds it has it for a moment.
            pause()
        }
        throw LibraryError(.busy, "\(directory.name) changes too fast to hold a generation; try again")
    }

    private static let holdAttempts = 100

    /// Ten milliseconds: a second in all.
    package static func pauseShortly() { usleep(10_000) }

    /// All content that a generation names. One that can't be read names nothing here.
    package func addresses() throws(LibraryError) -> Set<StoreAddress> {
        var addresses: Set<StoreAddress> = []
        // One at a time: most of what they name is the same.
        for number in try numbers() { addresses.formUnion((try? open(number))?.addresses ?? []) }
        return addresses
    }

    /// The numbers of all kept generations, lowest first.
    package func numbers() throws(LibraryError) -> [GenerationNumber] {
        var numbers: [GenerationNumber] = []
        for name in try translating({ () throws(SystemError) in try directory.names() }) {
            // Something else that is called so is somebody else's.
            if let number = GenerationNumber(name.bytes), try contains(number) { numbers.append(number) }
        }
        return numbers.sorted()
    }

    /// The highest number that is taken, by whatever.
    func highestName() throws(LibraryError) -> Int {
        try translating { () throws(SystemError) in try directory.names() }
            .compactMap { GenerationNumber($0.bytes)?.value }.max() ?? 0
    }
}

extension Directory {
    /// Whether there is a directory of this name, or the link of this name leads to one: a look that costs a single call, for what this program made
    /// itself.
    func leadsToDirectory(_ name: RelativePath) -> Bool {
        var status = stat()
        let path = name.bytes.map { CChar(bitPattern: $0) } + [0]
        return fstatat(descriptor.rawValue, path, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
