/// How files of each format begin.
extension FileFormat {
    /// Whether a file can be of this format.
    func begins(_ ends: FileEnds) -> Bool {
        switch self {
        case .png: ends.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .jpeg: ends.starts(with: [0xFF, 0xD8, 0xFF])
        case .gif: ends.starts(withAny: ["GIF87a", "GIF89a"])
        case .webp: ends.starts(with: "RIFF") && ends.starts(with: "WEBP", at: 8)
        // An array of bitmaps, or a single one.
        case .bmp: ends.starts(withAny: ["BM", "BA"])
        // The third byte, or the fourth, is 42, or 43 in BigTIFF.
        case .tiff: ends.starts(withAny: ["II*\0", "MM\0*", "II+\0", "MM\0+"])
        case .targa: beginsTarga(ends)
        case .ktx: ends.starts(with: [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB])
        case .ktx2: ends.starts(with: [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB])
        case .dds: ends.starts(with: "DDS ") && ends.number(at: 4, bytes: 4) == 124
        case .vtf: ends.starts(with: "VTF\0")
        case .astc: ends.starts(with: [0x13, 0xAB, 0xA1, 0x5C])
        case .basis: ends.starts(with: "sB") && ends.number(at: 3, bytes: 1) == 0
        case .openEXR: ends.starts(with: [0x76, 0x2F, 0x31, 0x01])
        case .photoshop: ends.starts(with: "8BPS")
        case .qoi: ends.starts(with: "qoif")
        // Icons, and cursors.
        case .icon: ends.starts(withAny: ["\0\0\u{1}\0", "\0\0\u{2}\0"])
        case .netpbm: ends.starts(withAny: ["P1", "P2", "P3", "P4", "P5", "P6", "P7"])
        case .jpegXL: ends.starts(with: [0xFF, 0x0A]) || ends.starts(with: "\0\0\0\u{C}JXL ")
        case .jpeg2000: ends.starts(with: "\0\0\0\u{C}jP  ") || ends.starts(with: [0xFF, 0x4F, 0xFF, 0x51])
        case .avif: hasBrand(ends, ["avif", "avis"])
        case .heif: hasBrand(ends, ["mif1", "msf1", "heic", "heix", "hevc", "hevx", "heim", "heis"])
        // Text, of which any may be in front; headers of other formats have the extension too; the second version of PVR has its mark far behind.
        case .svg, .radiance, .pvr: FileFormat(ends) == nil
        case .transportStream: beginsTransportStream(ends)
        case .fragmentedMP4: Self.firstBoxes.contains { ends.starts(with: $0, at: 4) }
        case .aac: beginsAAC(ends)
        case .webVTT: ends.starts(withAny: ["WEBVTT", "\u{FEFF}WEBVTT"])
        case .playlist: ends.starts(with: "#EXTM3U")
        // Readers look for it in the first 1,024 bytes.
        case .pdf: ends.headContains("%PDF-")
        }
    }

    /// The boxes that an MP4 file, or a segment of one, may begin with. What may stand in front of `ftyp` and `moof` counts too: such files are played.
    package static let firstBoxes: Set = [
        "ftyp", "styp", "moof", "sidx", "ssix", "moov", "emsg", "prft", "pdin", "mdat", "free", "skip", "wide",
    ]

    /// Whether a file begins as no other format does by chance.
    func isCertain(_ ends: FileEnds) -> Bool {
        switch self {
        // Two letters alone are too little; the four bytes behind the length are zero.
        case .bmp: ends.starts(with: "BM") && ends.starts(with: [0, 0, 0, 0], at: 6)
        case .targa: hasTargaFooter(ends)
        case .jpegXL: ends.starts(with: "\0\0\0\u{C}JXL ")
        case .pdf: ends.starts(with: "%PDF-")
        case .transportStream: ends.head.count > 188 && beginsTransportStream(ends)
        case .fragmentedMP4: ["ftyp", "styp", "moof", "sidx"].contains { ends.starts(with: $0, at: 4) }
        case .basis, .icon, .netpbm, .svg, .radiance, .pvr, .aac: false
        // The brands of images come before it.
        default: begins(ends)
        }
    }

    // MARK: What has no mark in front

    /// The header has a map of colours or none, a type of image and its bits for each pixel (Truevision TGA 2.0); a footer came later.
    private func beginsTarga(_ ends: FileEnds) -> Bool {
        if hasTargaFooter(ends) { return true }
        guard let map = ends.number(at: 1, bytes: 1), let type = ends.number(at: 2, bytes: 1),
            let bits = ends.number(at: 16, bytes: 1)
        else { return false }
        return map <= 1 && [0, 1, 2, 3, 9, 10, 11].contains(type) && [1, 8, 15, 16, 24, 32].contains(bits)
    }

    private func hasTargaFooter(_ ends: FileEnds) -> Bool {
        ends.tail.suffix(18) == Array("TRUEVISION-XFILE.\0".utf8)[...]
    }

    /// Packets of 188 bytes (ISO/IEC 13818-1), or of 192 with a time before each, begin with 0x47.
    private func beginsTransportStream(_ ends: FileEnds) -> Bool {
        for (packet, first) in [(188, 0), (192, 4)] where ends.starts(with: [0x47], at: first) {
            let next = first + packet
            if ends.head.count <= next || ends.starts(with: [0x47], at: next) { return true }
        }
        return false
    }

    /// The sync word of ADTS with layer 0, or that of LOAS, the header of ADIF, or the ID3 tag that HLS puts before it.
    private func beginsAAC(_ ends: FileEnds) -> Bool {
        if ends.starts(withAny: ["ADIF", "ID3"]) { return true }
        guard let first = ends.number(at: 0, bytes: 1), let second = ends.number(at: 1, bytes: 1) else { return false }
        return (first == 0xFF && second & 0xF6 == 0xF0) || (first == 0x56 && second & 0xE0 == 0xE0)
    }

    /// Whether the box `ftyp` comes first and names one of these (ISO/IEC 14496-12).
    private func hasBrand(_ ends: FileEnds, _ brands: [String]) -> Bool {
        guard ends.starts(with: "ftyp", at: 4) else { return false }
        // The size is a big-endian number; no more brands are looked at than are of use to anybody.
        let bytes = min(64, ends.head.prefix(4).reduce(0) { $0 << 8 | Int($1) })
        return stride(from: 8, to: bytes, by: 4).contains { offset in
            // Behind the first one stands a version.
            offset != 12 && brands.contains { ends.starts(with: $0, at: offset) }
        }
    }
}

extension FileEnds {
    fileprivate func starts(with text: String, at offset: Int = 0) -> Bool {
        starts(with: Array(text.utf8), at: offset)
    }

    fileprivate func starts(withAny texts: [String]) -> Bool { texts.contains { starts(with: $0) } }

    fileprivate func headContains(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return head.indices.contains { head[$0...].starts(with: bytes) }
    }

    /// Whether the head has no byte that a text hasn't.
    var isText: Bool { !head.isEmpty && head.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) } }
}
