import Archives
import Platform

/// The outcome of unpacking bytes into a fresh directory.
struct Unpacking {
    let scratch: Scratch
    let outcome: Result<UnpackSummary, ArchiveError>

    init(
        _ bytes: [UInt8], name: String = "memory.zip", format: ArchiveFormat? = nil,
        policy: ExtractionPolicy = ExtractionPolicy(), observer: UnpackObserver = UnpackObserver()
    ) throws {
        let scratch = try Scratch()
        self.scratch = scratch
        let unpacker = Unpacker(source: MemorySource(bytes, name: name), format: format, policy: policy)
        outcome = Result { () throws(ArchiveError) in
            try unpacker.unpack(into: scratch.target, observer: observer)
        }
    }

    init(_ entries: [ZipBuilder.Entry], policy: ExtractionPolicy = ExtractionPolicy()) throws {
        try self.init(ZipBuilder(entries).build(), policy: policy)
    }

    var error: ArchiveError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    var warnings: [String] { (try? outcome.get().warnings) ?? [] }

    /// The content of the file at `path`.
    func file(_ path: RelativePath) throws -> [UInt8] {
        try scratch.target.readFile(path, limitBytes: 1 << 30)
    }
}
