import Platform

/// Unpacks one archive.
///
/// Everything is created beneath the target, by handle; whatever the archive holds, nothing outside the target changes. When it fails, the target
/// holds a part of the content: unpack into a directory that nobody reads yet, and give it its name when all is done. The work is
/// synchronous: call it on a thread that may block.
public struct Unpacker {
    private let input: Input
    private let format: ArchiveFormat?
    private let policy: ExtractionPolicy

    private enum Input {
        case source(any ByteSource)
        case stream(BufferedInput, name: String)

        var name: String {
            switch self {
            case .source(let source): source.name
            case .stream(_, let name): name
            }
        }
    }

    /// Unpacks what can be read at any place.
    /// - Parameters:
    ///   - source: the archive.
    ///   - format: what the archive is; nil to tell it from the content.
    ///   - policy: what it may do.
    public init(source: any ByteSource, format: ArchiveFormat? = nil, policy: ExtractionPolicy = ExtractionPolicy()) {
        input = .source(source)
        self.format = format
        self.policy = policy
    }

    /// Unpacks what comes once and in order, as it comes: every format but zip, whose directory stands at its end. Can unpack only once.
    /// - Parameters:
    ///   - stream: the archive, read to its very end.
    ///   - name: what it is called in messages; must be safe to print.
    ///   - format: what the archive is; nil to tell it from the content.
    ///   - policy: what it may do.
    public init(
        stream: any ByteStream, name: String, format: ArchiveFormat? = nil,
        policy: ExtractionPolicy = ExtractionPolicy()
    ) {
        input = .stream(BufferedInput(stream), name: name)
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
            throw ArchiveError(.unwritable, error.description).located(archive: input.name)
        }
        return try unpack(into: directory, observer: observer)
    }

    /// Unpacks beneath `directory`, which should be empty.
    package func unpack(
        into directory: Directory, observer: UnpackObserver = UnpackObserver()
    ) throws(ArchiveError) -> UnpackSummary {
        do throws(ArchiveError) {
            switch input {
            case .source(let source):
                let format = try chosen { () throws(ArchiveError) in try ArchiveFormat.detect(source) }
                guard format == .zip else {
                    return try unpack(BufferedInput(SourceStream(source)), as: format, into: directory, observer)
                }
                return try ZipUnpacking(source, policy: policy).run(into: directory, observer: observer)
            case .stream(let stream, _):
                let format = try chosen { () throws(ArchiveError) in try ArchiveFormat.detect(stream) }
                return try unpack(stream, as: format, into: directory, observer)
            }
        } catch {
            throw error.located(archive: input.name)
        }
    }

    private func chosen(detect: () throws(ArchiveError) -> ArchiveFormat) throws(ArchiveError) -> ArchiveFormat {
        if let format { return format }
        return try detect()
    }

    private func unpack(
        _ stream: BufferedInput, as format: ArchiveFormat, into directory: Directory, _ observer: UnpackObserver
    ) throws(ArchiveError) -> UnpackSummary {
        switch format {
        case .zip: throw ArchiveError(.unsupported, "a zip archive can't be read as a stream")
        case .tar, .tarGzip:
            return try TarUnpacking(stream, isCompressed: format == .tarGzip, policy: policy)
                .run(into: directory, observer: observer)
        case .gzip, .zlib, .deflate:
            return try SingleFileUnpacking(input: stream, format: format, archive: input.name, policy: policy)
                .run(into: directory, observer: observer)
        }
    }
}
