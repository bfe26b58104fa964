import Archives
import Glibc
import Platform

/// Entry points for libFuzzer: `build FORMAT` makes one program of this file, for the format whose name it is given.
///
/// Whatever the bytes are, unpacking them must end with a summary or an `ArchiveError`, in bounded time and memory, and nothing may appear beside
/// the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    #if FUZZ_ZIP
        let format = ArchiveFormat.zip
    #elseif FUZZ_TAR
        let format = ArchiveFormat.tar
    #elseif FUZZ_GZIP
        let format = ArchiveFormat.tarGzip
    #endif
    var policy = ExtractionPolicy()
    policy.limits.totalBytes = 1 << 18
    policy.limits.entries = 1_000
    let source = InputSource(bytes: UnsafeRawBufferPointer(start: data, count: size))
    unpack(source, as: format, policy)
    #if FUZZ_GZIP
        unpack(source, as: nil, policy)
    #endif
    return 0
}

private func unpack(_ source: InputSource, as format: ArchiveFormat?, _ policy: ExtractionPolicy) {
    do {
        let target = try FuzzDirectory()
        _ = try Unpacker(source: source, format: format, policy: policy).unpack(into: target.path)
    } catch let error as ArchiveError {
        precondition(error.archive == "input" && !error.description.isEmpty)
    } catch {
        preconditionFailure("\(error)")
    }
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

    init() throws {
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
