import Glibc
import Platform

/// One published state of the whole library: which content each bundle of each manifest has.
package struct Generation: Sendable {
    package let number: GenerationNumber
    /// Held open; a reader that needs it for long takes a shared `flock` on it, and collection leaves it alone.
    package let directory: Directory
    /// By manifest, then by bundle: as it was published, whatever was lost of it since.
    package let manifests: [ContentID: [ContentID: StoreName]]
    /// What says so; nil where that is lost itself: then what is there counts.
    let list: GenerationList?

    /// Reads the generation in `directory`.
    /// - Throws: where nothing tells what it was published with, `damaged` for a link that leads anywhere but to content of its own bundle.
    init(number: GenerationNumber, directory: Directory) throws(LibraryError) {
        self.number = number
        self.directory = directory
        list = GenerationList(of: number, in: directory)
        manifests = if let list { list.manifests.mapValues(\.bundles) } else { try Self.linked(in: directory) }
    }

    /// By the links that are there. What is none is somebody else's.
    private static func linked(in directory: Directory) throws(LibraryError) -> [ContentID: [ContentID: StoreName]] {
        var manifests: [ContentID: [ContentID: StoreName]] = [:]
        for name in try translating({ () throws(SystemError) in try directory.names() }) {
            guard let manifest = ContentID(name), try directory.holds(.directory, at: name) else { continue }
            manifests[manifest] = try bundles(of: manifest, in: directory)
        }
        return manifests
    }

    private static func bundles(
        of manifest: ContentID, in directory: Directory
    ) throws(LibraryError) -> [ContentID: StoreName] {
        let (holder, names) = try translating { () throws(SystemError) in
            let holder = try directory.subdirectory(manifest.path)
            return (holder, try holder.names())
        }
        var bundles: [ContentID: StoreName] = [:]
        for name in names {
            guard let bundle = ContentID(name), try holder.holds(.symbolicLink, at: name) else { continue }
            let target = try translating { () throws(SystemError) in try holder.linkTarget(of: name) }
            let address = StoreAddress(linkTarget: target, of: BundleAddress(manifest: manifest, bundle: bundle))
            guard let address else {
                throw LibraryError(
                    .damaged,
                    "\(holder.name)/\(name) leads to \(escapedText(target)), which is not content of that bundle; remove it and sync again"
                )
            }
            bundles[bundle] = address.name
        }
        return bundles
    }

    /// Every content directory this generation needs.
    var addresses: [StoreAddress] {
        manifests.flatMap { manifest, bundles in
            bundles.map { StoreAddress(bundle: BundleAddress(manifest: manifest, bundle: $0), name: $1) }
        }
    }

    /// The exact bytes of the manifest that were published; nil when it isn't in this generation, and where what is here can't be read, or is
    /// known to be something else: nobody may take that for what was published.
    package func manifestBytes(_ manifest: ContentID, limitBytes: Int = 1 << 30) throws(LibraryError) -> [UInt8]? {
        try translating { () throws(SystemError) in try readManifest(manifest, limitBytes: limitBytes) }
    }

    func readManifest(_ manifest: ContentID, limitBytes: Int = 1 << 30) throws(SystemError) -> [UInt8]? {
        do {
            let file = try directory.subdirectory(manifest.path)
                .open(LibraryLayout.manifestFile, flags: O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            guard status.kind == .file, status.sizeBytes <= limitBytes else { return nil }
            let bytes = try file.readAll(limitBytes: limitBytes)
            return wasPublished(bytes, of: manifest) ? bytes : nil
        } catch {
            guard Self.isLoss(error) else { throw error }
            return nil
        }
    }

    /// The signature beside the manifest; nil where there is none, or it can't be read. It proves itself or nothing.
    package func signature(of manifest: ContentID) -> [UInt8]? { directory.signature(of: manifest) }

    /// Whether what was to be read is to blame, as where its disk doesn't give it back, and not the state that the machine is in.
    private static func isLoss(_ error: SystemError) -> Bool {
        [ENOENT, ENOTDIR, ELOOP, EIO, EACCES, EPERM, EFBIG, EBADMSG, EUCLEAN].contains(error.code)
    }

    /// Whether these are the bytes that were published of a manifest, as far as anything tells.
    private func wasPublished(_ bytes: [UInt8], of manifest: ContentID) -> Bool {
        list?.manifests[manifest]?.sha256.map { $0 == SHA256.digest(of: bytes) } ?? true
    }
}

extension Directory {
    /// Of a manifest of the generation that this is the directory of.
    func signature(of manifest: ContentID) -> [UInt8]? {
        guard let holder = try? subdirectory(manifest.path),
            let file = try? holder.open(LibraryLayout.signatureFile, flags: O_RDONLY | O_NONBLOCK),
            (try? file.status().kind) == .file
        else { return nil }
        return try? file.readAll(limitBytes: 1 << 20)
    }

    /// Whether something of this kind has the name.
    func holds(_ kind: FileStatus.Kind, at name: RelativePath) throws(LibraryError) -> Bool {
        try translating { () throws(SystemError) in try status(of: name)?.kind == kind }
    }
}

/// The library's own counter of generations, from 1; ever growing.
package struct GenerationNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Int

    /// Nil for a number that no generation has.
    package init?(_ value: Int) {
        guard (1..<Int(Int32.max)).contains(value) else { return nil }
        self.value = value
    }

    /// Reads the name of a generation's directory; nil for any other name.
    init?(_ name: some Collection<UInt8>) {
        let text = String(decoding: name, as: UTF8.self)
        guard let value = Int(text), let number = GenerationNumber(value), number.description == text else {
            return nil
        }
        self = number
    }

    /// At least six digits: `000042`.
    package var description: String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }

    var path: RelativePath { LibraryLayout.path(description) }
    /// What it is called while it is being written, and while it is being removed.
    var newPath: RelativePath { LibraryLayout.path(".\(description)\(Self.newSuffix)") }
    var removedPath: RelativePath { LibraryLayout.path(".\(description)\(Self.removedSuffix)") }

    private static let newSuffix = ".new"
    private static let removedSuffix = ".removed"

    /// Whether a generation may have had this name while it was written or removed.
    static func isInProgress(_ name: RelativePath) -> Bool {
        let text = String(decoding: name.bytes, as: UTF8.self)
        guard text.hasPrefix("."), let suffix = [newSuffix, removedSuffix].first(where: text.hasSuffix) else {
            return false
        }
        return GenerationNumber(text.dropFirst().dropLast(suffix.utf8.count).utf8) != nil
    }

    /// What `current` says when it names this generation.
    var linkTarget: [UInt8] { Self.linkPrefix + Array(description.utf8) }

    init?(linkTarget: [UInt8]) {
        guard linkTarget.starts(with: Self.linkPrefix) else { return nil }
        self.init(linkTarget.dropFirst(Self.linkPrefix.count))
    }

    private static let linkPrefix = Array("\(LibraryLayout.generations)/".utf8)

    package static func < (left: GenerationNumber, right: GenerationNumber) -> Bool { left.value < right.value }
}
