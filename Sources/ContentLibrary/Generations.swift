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

    /// When readers got what they see; nil where nothing was published, or nobody can tell.
    package var currentTime: Timestamp? {
        guard let number = try? currentNumber(), let status = try? directory.status(of: number.path) else { return nil }
        return status.modified
    }

    /// The generation that readers see; nil before anything was published.
    package func current() throws(LibraryError) -> Generation? {
        try currentNumber().map { number throws(LibraryError) in try open(number) }
    }

    /// - Throws: also when there is no generation of that number.
    package func open(_ number: GenerationNumber) throws(LibraryError) -> Generation {
        let opened = try translating { () throws(SystemError) in try directory.subdirectory(number.path) }
        return try Generation(number: number, directory: opened)
    }

    /// The exact bytes of a manifest in a generation of which nothing else is looked at; nil where they aren't there.
    package func manifestBytes(of manifest: ContentID, in number: GenerationNumber) -> [UInt8]? {
        try? directory.subdirectory(number.path).subdirectory(manifest.path)
            .readFile(LibraryLayout.manifestFile, limitBytes: 1 << 30)
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

    /// All content that a generation names. One that can't be read names nothing here.
    package func addresses() throws(LibraryError) -> Set<StoreAddress> {
        Set(try numbers().flatMap { (try? open($0))?.addresses ?? [] })
    }

    /// The numbers of all kept generations, lowest first.
    package func numbers() throws(LibraryError) -> [GenerationNumber] {
        try translating { () throws(SystemError) in try directory.names() }
            .compactMap { GenerationNumber($0.bytes) }.sorted()
    }
}

extension Directory {
    /// Whether the link of this name leads to a directory: for links that this program made itself.
    fileprivate func leadsToDirectory(_ name: RelativePath) -> Bool {
        var status = stat()
        let path = name.bytes.map { CChar(bitPattern: $0) } + [0]
        return fstatat(descriptor.rawValue, path, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
