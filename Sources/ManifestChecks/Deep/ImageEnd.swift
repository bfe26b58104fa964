import Archives

/// Whether an image is as long as its format says.
enum ImageEnd {
    /// Why an image isn't whole, as a clause; nil where nothing speaks against it.
    static func fault(_ format: FileFormat, _ ends: FileEnds) -> String? {
        switch format {
        case .png:
            // The chunk IEND, which is empty, and its CRC.
            let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
            return ends.tail.suffix(end.count) == end[...] ? nil : "it doesn't end with the chunk IEND"
        case .jpeg:
            // Cameras pad with zeros.
            let rest = ends.tail.reversed().drop { $0 == 0 }
            return rest.starts(with: [0xD9, 0xFF]) ? nil : "it doesn't end with the marker EOI"
        case .gif: return ends.tail.last == 0x3B ? nil : "it doesn't end with a trailer"
        case .webp: return shortage(ends, ends.number(at: 4, bytes: 4).map { $0 + 8 })
        case .bmp: return shortage(ends, ends.number(at: 2, bytes: 4))
        case .ktx2: return shortage(ends, endOfBaseLevel(ends))
        default: return nil
        }
    }

    private static func shortage(_ ends: FileEnds, _ needed: UInt64?) -> String? {
        guard let needed else { return "it ends within its header" }
        return UInt64(clamping: ends.sizeBytes) < needed
            ? "it has \(ends.sizeBytes) bytes, and its header says \(needed)" : nil
    }

    /// The level index begins at byte 80 with the largest level, which comes last (KTX 2.0, section 3.9.7).
    private static func endOfBaseLevel(_ ends: FileEnds) -> UInt64? {
        guard let offset = ends.number(at: 80, bytes: 8), let length = ends.number(at: 88, bytes: 8) else { return nil }
        let (end, overflow) = offset.addingReportingOverflow(length)
        return overflow ? .max : end
    }
}
