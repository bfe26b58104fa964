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
        case source(any ByteSource, isArriving: Bool)
        case stream(any ByteStream, name: String)

        var name: String {
            switch self {
            case .source(let source, _): source.name
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
        input = .source(source, isArriving: false)
        self.format = format
        self.policy = policy
    }

    /// Unpacks a zip archive that still arrives: a read of bytes that aren't there waits for them. The directory is read first of all; then each
    /// entry is unpacked as soon as it has come. When the unpacking fails, more may have been written than of an archive that is here.
    package init(arrivingZip source: any ByteSource, policy: ExtractionPolicy) {
        input = .source(source, isArriving: true)
        format = .zip
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
        input = .stream(stream, name: name)
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
        try process(into: directory, observer)
    }

    /// Reads and checks everything that unpacking would, and creates nothing: a success says that the archive can be unpacked.
    /// - Parameter observer: is asked whether to stop; of what is created nothing can be told.
    /// - Throws: what unpacking would throw, but for what only the target can cause.
    public func check(observer: UnpackObserver = UnpackObserver()) throws(ArchiveError) -> UnpackSummary {
        try process(into: nil, observer)
    }

    /// Tells what the archive holds, in its own order. Contents are passed over as far as the format allows, and nothing is judged but the
    /// structure: a list doesn't say that the archive can be unpacked.
    /// - Parameters:
    ///   - observer: is asked whether to stop.
    ///   - body: called for each selected entry, and for any whose name is unsafe.
    /// - Returns: what the archive was taken for.
    /// - Throws: see `ArchiveError.Code`, for a damaged structure; `body` may have been called by then.
    public func list(
        observer: UnpackObserver = UnpackObserver(), _ body: (ListedEntry) -> Void
    ) throws(ArchiveError) -> ArchiveFormat {
        let opened = try opened(observer)
        do throws(ArchiveError) {
            switch opened {
            case .zip(let zip): try zip.list(observer: observer, body)
            case .tar(let tar): try tar.list(observer: observer, body)
            case .single(let single): try single.list(observer: observer, body)
            }
        } catch {
            throw error.located(archive: input.name)
        }
        return opened.format
    }

    private func process(into directory: Directory?, _ observer: UnpackObserver) throws(ArchiveError) -> UnpackSummary {
        let opened = try opened(observer)
        do throws(ArchiveError) {
            return switch opened {
            case .zip(let zip): try zip.run(into: directory, observer: observer)
            case .tar(let tar): try tar.run(into: directory, observer: observer)
            case .single(let single): try single.run(into: directory, observer: observer)
            }
        } catch {
            throw error.located(archive: input.name)
        }
    }

    /// An archive of a known format.
    private enum Opened {
        case zip(ZipUnpacking)
        case tar(TarUnpacking)
        case single(SingleFileUnpacking)

        var format: ArchiveFormat {
            switch self {
            case .zip: .zip
            case .tar(let tar): tar.format
            case .single(let single): single.format
            }
        }
    }

    private func opened(_ observer: UnpackObserver) throws(ArchiveError) -> Opened {
        do throws(ArchiveError) {
            switch input {
            case .source(let source, let isArriving):
                let format = try chosen { () throws(ArchiveError) in try ArchiveFormat.detect(source) }
                if format == .zip {
                    return .zip(try ZipUnpacking(source, isArriving: isArriving, policy: policy))
                }
                return try opened(input(SourceStream(source), observer), as: format)
            case .stream(let stream, _):
                let stream = input(stream, observer)
                let format = try chosen { () throws(ArchiveError) in try ArchiveFormat.detect(stream) }
                return try opened(stream, as: format)
            }
        } catch {
            throw error.located(archive: input.name)
        }
    }

    private func input(_ stream: any ByteStream, _ observer: UnpackObserver) -> BufferedInput {
        BufferedInput(StoppableStream(stream, observer: observer))
    }

    private func chosen(detect: () throws(ArchiveError) -> ArchiveFormat) throws(ArchiveError) -> ArchiveFormat {
        if let format { return format }
        return try detect()
    }

    private func opened(_ stream: BufferedInput, as format: ArchiveFormat) throws(ArchiveError) -> Opened {
        switch format {
        case .zip: throw ArchiveError(.unsupported, "a zip archive can't be read as a stream")
        case .tar, .tarGzip:
            return .tar(try TarUnpacking(stream, isCompressed: format == .tarGzip, policy: policy))
        case .gzip, .zlib, .deflate:
            return .single(SingleFileUnpacking(input: stream, format: format, archive: input.name, policy: policy))
        }
    }
}
