import Archives
import Downloads
import Platform

/// A download's bytes from front to back.
final class ArrivingStream: ByteStream {
    private let arriving: ArrivingBytes
    private var offset: Int64 = 0

    init(_ arriving: ArrivingBytes) { self.arriving = arriving }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try arriving.archiveBytes(at: offset, into: buffer, fillsBuffer: false)
        offset += Int64(count)
        return count
    }
}

/// A download's bytes at any place: those that aren't there yet are waited for.
struct ArrivingSource: ByteSource {
    private let arriving: ArrivingBytes
    let lengthBytes: Int64
    let name = ""

    /// Waits until it is known how many bytes there will be.
    init(_ arriving: ArrivingBytes) throws(ArchiveError) {
        self.arriving = arriving
        let length: Int64?
        do throws(SystemError) { length = try arriving.lengthBytes() } catch {
            throw ArchiveError(.unreadable, "\(error)")
        }
        guard let length else { throw .ended }
        lengthBytes = length
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        try arriving.archiveBytes(at: offset, into: buffer, fillsBuffer: true)
    }
}

extension ArrivingBytes {
    fileprivate func archiveBytes(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, fillsBuffer: Bool
    ) throws(ArchiveError) -> Int {
        let count: Int?
        do throws(SystemError) { count = try read(at: offset, into: buffer, fillsBuffer: fillsBuffer) } catch {
            throw ArchiveError(.unreadable, "\(error)")
        }
        guard let count else { throw .ended }
        return count
    }
}

extension ArchiveError {
    fileprivate static var ended: Self { ArchiveError(.stopped, "the download failed or began anew") }
}
