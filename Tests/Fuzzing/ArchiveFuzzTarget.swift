import Archives
import Glibc
import Platform

/// Entry points for libFuzzer: `build FORMAT` makes one program of this file, for the format whose name it is given.
///
/// Whatever the bytes are, unpacking, checking and listing them must end with a result or an `ArchiveError`, in bounded time and memory, and
/// nothing may appear beside the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    #if FUZZ_ZIP
        let formats: [ArchiveFormat?] = [.zip]
    #elseif FUZZ_TAR
        let formats: [ArchiveFormat?] = [.tar]
    #elseif FUZZ_GZIP
        let formats: [ArchiveFormat?] = [.tarGzip, nil]
    #endif
    let source = InputSource(bytes: UnsafeRawBufferPointer(start: data, count: size))
    for format in formats { fuzz(source, format) }
    return 0
}

private func fuzz(_ source: InputSource, _ format: ArchiveFormat?) {
    var policy = ExtractionPolicy()
    policy.limits.totalBytes = 1 << 18
    policy.limits.entries = 1_000
    // Each with an unpacker of its own, as a stream is read once.
    func unpacker() -> Unpacker { Unpacker(source: source, format: format, policy: policy) }
    let unpacked = outcome { () throws(ArchiveError) in try unpackIntoMemory(unpacker()) }
    let checked = outcome { () throws(ArchiveError) in try unpacker().check() }
    // What is checked can be unpacked, but for names that are too long or alike for the file system at hand.
    if unpacked != nil { precondition(unpacked == checked) }
    _ = outcome { () throws(ArchiveError) in try unpacker().list { _ in } }
    policy.selection = partialSelection
    _ = outcome { () throws(ArchiveError) in try unpackIntoMemory(unpacker()) }
}

private let partialSelection: EntrySelection = {
    do { return try EntrySelection(strip: 1, include: ["*a*", "[b-x]?/**"], exclude: ["**/b/", "c"]) } catch {
        preconditionFailure("\(error)")
    }
}()

/// What `body` returns; nil when it throws.
private func outcome<Success>(_ body: () throws(ArchiveError) -> Success) -> Success? {
    do { return try body() } catch {
        precondition(error.archive == "input" && !error.description.isEmpty)
        return nil
    }
}

private func unpackIntoMemory(_ unpacker: Unpacker) throws(ArchiveError) -> UnpackSummary {
    let target: FuzzDirectory
    do { target = try FuzzDirectory() } catch { preconditionFailure("\(error)") }
    return try unpacker.unpack(into: target.path)
}

/// The fuzzer's bytes, which stay where they are during the call.
private struct InputSource: ByteSource, @unchecked Sendable {
    // Sendable because the call that lends the bytes reads them on its own thread only.
    let bytes: UnsafeRawBufferPointer
    let name = "input"
    var lengthBytes: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard offset >= 0, offset <= lengthBytes else { preconditionFailure("read at \(offset) of \(lengthBytes)") }
        let count = min(buffer.count, bytes.count - Int(offset))
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<(Int(offset) + count)]))
        return count
    }
}

/// A directory in memory that is empty again afterwards, with a guard around it.
private final class FuzzDirectory {
    private let outer: Directory
    private let outerPath: String
    var path: String { outerPath + "/target" }

    init() throws(SystemError) {
        var template = Array("/dev/shm/larder-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("create", "a directory to unpack into") }
        outerPath = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        outer = try Directory.open(outerPath)
        try outer.makeDirectory("target")
    }

    deinit {
        _ = try? outer.removeTree("target")
        // Fails when anything was created beside the target.
        guard rmdir(outerPath) == 0 else { preconditionFailure("something escaped into \(outerPath)") }
    }
}
