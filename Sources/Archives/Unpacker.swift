import Platform

/// Unpacks one archive.
///
/// Everything is created beneath the target, by handle; whatever the archive holds, nothing outside the target changes. When it fails, the target
/// holds a part of the content: unpack into a directory that nobody reads yet, and give it its name when all is done. The work is
/// synchronous: call it on a thread that may block.
public struct Unpacker {
    private let source: any ByteSource
    private let format: ArchiveFormat?
    private let policy: ExtractionPolicy

    /// - Parameters:
    ///   - source: the archive.
    ///   - format: what the archive is; nil to tell it from the content.
    ///   - policy: what it may do.
    public init(source: any ByteSource, format: ArchiveFormat? = nil, policy: ExtractionPolicy = ExtractionPolicy()) {
        self.source = source
        self.format = format
        self.policy = policy
    }

    /// Unpacks beneath the directory at `path`, which must exist and should be empty.
    /// - Throws: see `ArchiveError.Code`; the error names the archive, and the entry where it is about one.
    public func unpack(
        into path: String, observer: UnpackObserver = UnpackObserver()
    ) throws(ArchiveError) -> UnpackSummary {
        let directory: Directory
        do { directory = try Directory.open(path) } catch {
            throw ArchiveError(.unwritable, error.description).located(archive: source.name)
        }
        return try unpack(into: directory, observer: observer)
    }

    /// Unpacks beneath `directory`, which should be empty.
    package func unpack(
        into directory: Directory, observer: UnpackObserver = UnpackObserver()
    ) throws(ArchiveError) -> UnpackSummary {
        do throws(ArchiveError) {
            switch try chosenFormat() {
            case .zip:
                return try ZipUnpacking(source, policy: policy).run(into: directory, observer: observer)
            case let format:
                let unpacking = SingleFileUnpacking(source: source, format: format, policy: policy)
                return try unpacking.run(into: directory, observer: observer)
            }
        } catch {
            throw error.located(archive: source.name)
        }
    }

    private func chosenFormat() throws(ArchiveError) -> ArchiveFormat {
        if let format { return format }
        return try ArchiveFormat.detect(source)
    }
}
