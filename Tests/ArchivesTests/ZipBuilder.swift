import Archives
import Synchronization

/// Builds zip archives by hand, so that every field can be wrong.
struct ZipBuilder {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8] = []
        /// What lies in the archive; the content itself when nil.
        var data: [UInt8]?
        var method: UInt16 = 0
        var flags: UInt16 = 0
        var crc: UInt32?
        var size: UInt32?
        /// What the headers say of the data's length; that length when nil.
        var packedSize: UInt32?
        /// Unix mode, type included.
        var mode: UInt32 = 0o100644
        var directoryExtra: [UInt8] = []
        var localExtra: [UInt8] = []
        /// What stands behind the data; a flag is not set by itself.
        var descriptor: [UInt8] = []
        var dosDate: UInt16 = 0x5a21

        init(_ name: String, _ content: [UInt8] = []) {
            self.name = Array(name.utf8)
            self.content = content
        }

        static func link(_ name: String, to target: String) -> Entry {
            var entry = Entry(name, Array(target.utf8))
            entry.mode = 0o120777
            return entry
        }
    }

    var entries: [Entry] = []
    var comment: [UInt8] = []
    /// Whether the directory leaves the places of the local headers to the ZIP64 field.
    var saturatesOffsets = false

    init(_ entries: [Entry]) { self.entries = entries }

    func build() -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = UInt32(archive.count)
            let data = entry.data ?? entry.content
            let crc = entry.crc ?? crcValue(entry.content)
            let size = entry.size ?? UInt32(entry.content.count)
            let packedSize = entry.packedSize ?? UInt32(data.count)
            func common(streamed: Bool) -> [UInt8] {
                var fields: [UInt8] = []
                for value in [20, entry.flags, entry.method, 0, entry.dosDate] { fields.append(littleEndian: value) }
                for value in streamed ? [0, 0, 0] : [crc, packedSize, size] {
                    fields.append(littleEndian: value)
                }
                fields.append(littleEndian: UInt16(entry.name.count))
                return fields
            }
            archive += Array("PK\u{3}\u{4}".utf8) + common(streamed: entry.flags & 8 != 0)
            archive.append(littleEndian: UInt16(entry.localExtra.count))
            archive += entry.name + entry.localExtra + data + entry.descriptor
            directory += Array("PK\u{1}\u{2}".utf8) + [30, 3] + common(streamed: false)
            directory.append(littleEndian: UInt16(entry.directoryExtra.count))
            for value: UInt16 in [0, 0, 0] { directory.append(littleEndian: value) }
            directory.append(littleEndian: entry.mode << 16)
            directory.append(littleEndian: saturatesOffsets ? UInt32.max : offset)
            directory += entry.name + entry.directoryExtra
        }
        let end = Self.endRecord(
            entries: UInt16(entries.count), directoryBytes: UInt32(directory.count),
            directoryOffset: UInt32(archive.count), commentBytes: UInt16(comment.count))
        return archive + directory + end + comment
    }

    static func endRecord(
        entries: UInt16, directoryBytes: UInt32, directoryOffset: UInt32, commentBytes: UInt16
    ) -> [UInt8] {
        var record = Array("PK\u{5}\u{6}".utf8)
        for value in [0, 0, entries, entries] { record.append(littleEndian: value) }
        record.append(littleEndian: directoryBytes)
        record.append(littleEndian: directoryOffset)
        record.append(littleEndian: commentBytes)
        return record
    }
}

/// An archive in memory, which counts what is read of it.
final class MemorySource: ByteSource {
    let name: String
    let bytes: [UInt8]
    private let reads = Atomic(0)
    var lengthBytes: Int64 { Int64(bytes.count) }
    var readCount: Int { reads.load(ordering: .relaxed) }

    init(_ bytes: [UInt8], name: String = "memory.zip") {
        self.bytes = bytes
        self.name = name
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        reads.add(1, ordering: .relaxed)
        let start = min(Int(offset), bytes.count)
        let count = min(buffer.count, bytes.count - start)
        buffer.copyBytes(from: bytes[start..<(start + count)])
        return count
    }
}
