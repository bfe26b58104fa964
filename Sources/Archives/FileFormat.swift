/// The formats whose beginning is known, of images and of what players read. Whoever looks at a file asks here, be it before it is published or
/// when a manifest is checked.
package enum FileFormat: String, CaseIterable, Sendable {
    case png = "PNG"
    case jpeg = "JPEG"
    case gif = "GIF"
    case webp = "WebP"
    case bmp = "BMP"
    case tiff = "TIFF"
    case targa = "TGA"
    case ktx = "KTX"
    case ktx2 = "KTX 2"
    case dds = "DDS"
    case vtf = "VTF"
    case astc = "ASTC"
    case basis = "Basis Universal"
    case openEXR = "OpenEXR"
    case photoshop = "PSD"
    case qoi = "QOI"
    case icon = "ICO"
    case netpbm = "Netpbm"
    case jpegXL = "JPEG XL"
    case jpeg2000 = "JPEG 2000"
    case avif = "AVIF"
    case heif = "HEIF"
    case svg = "SVG"
    case radiance = "Radiance HDR"
    case pvr = "PVR"
    case transportStream = "an MPEG transport stream"
    case fragmentedMP4 = "MP4"
    case aac = "AAC"
    case webVTT = "WebVTT"
    case playlist = "an HLS playlist"
    case pdf = "PDF"

    /// Whether it is a picture.
    package var isImage: Bool {
        switch self {
        case .transportStream, .fragmentedMP4, .aac, .webVTT, .playlist, .pdf: false
        default: true
        }
    }

    /// Whether segments of a presentation are in this format.
    private var mayBeSegment: Bool {
        switch self {
        case .transportStream, .fragmentedMP4, .aac, .webVTT: true
        default: false
        }
    }

    /// The one that belongs to the extension of a path; nil for any other extension.
    package init?(nameOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            let format = Self.byExtension[name[name.index(after: dot)...].lowercased()]
        else { return nil }
        self = format
    }

    private static let byExtension = Dictionary(
        allCases.flatMap { format in format.extensions.map { ($0, format) } }, uniquingKeysWith: { first, _ in first })

    /// The one that a file begins as; nil for any other, and where the beginning could be one by chance.
    package init?(_ ends: FileEnds) {
        guard let format = Self.allCases.first(where: { $0.isCertain(ends) }) else { return nil }
        self = format
    }

    /// What a file is that isn't what its name says, as the second half of a sentence: `by its name it is JPEG, but it is PNG`.
    /// - Parameters:
    ///   - path: the name that counts.
    ///   - isSegment: whether the file is played as it is, so that it is neither encrypted nor something else that is called `.ts`.
    /// - Returns: nil where nothing speaks against the name.
    package static func contradiction(of ends: FileEnds, with path: String, isSegment: Bool = false) -> String? {
        guard let named = FileFormat(nameOf: path), !named.begins(ends) else { return nil }
        if let found = FileFormat(ends) {
            return "by its name it is \(named.rawValue), but it is \(found.rawValue)"
        }
        if !isSegment, named.mayBeSegment {
            // Programs and translations are called .ts, too.
            if named == .transportStream, ends.isText { return nil }
            // An encrypted segment is whole blocks of AES-128 (RFC 8216, section 4.3.2.4) and begins in any way.
            if !ends.isText, ends.sizeBytes > 0, ends.sizeBytes % 16 == 0 { return nil }
        }
        let what = ends.sizeBytes == 0 ? "is empty" : "doesn't begin like that"
        return "by its name it is \(named.rawValue), but it \(what)"
    }

    private var extensions: [String] {
        switch self {
        case .png: ["png", "apng"]
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .gif: ["gif"]
        case .webp: ["webp"]
        case .bmp: ["bmp", "dib"]
        case .tiff: ["tif", "tiff"]
        case .targa: ["tga"]
        case .ktx: ["ktx"]
        case .ktx2: ["ktx2"]
        case .dds: ["dds"]
        case .vtf: ["vtf"]
        case .astc: ["astc"]
        case .basis: ["basis"]
        case .openEXR: ["exr"]
        case .photoshop: ["psd", "psb"]
        case .qoi: ["qoi"]
        case .icon: ["ico", "cur"]
        case .netpbm: ["pbm", "pgm", "ppm", "pnm", "pam"]
        case .jpegXL: ["jxl"]
        case .jpeg2000: ["jp2", "j2k", "jpf", "jpx"]
        case .avif: ["avif"]
        case .heif: ["heic", "heif"]
        case .svg: ["svg"]
        case .radiance: ["hdr"]
        case .pvr: ["pvr"]
        case .transportStream: ["ts", "m2ts"]
        case .fragmentedMP4: ["mp4", "m4s", "m4v", "m4a", "cmfv", "cmfa"]
        case .aac: ["aac"]
        case .webVTT: ["vtt"]
        case .playlist: ["m3u8"]
        case .pdf: ["pdf"]
        }
    }
}
