/// Compression methods (APPNOTE 4.4.5).
enum ZipMethod {
    static let stored: UInt16 = 0
    static let deflate: UInt16 = 8

    /// What people call a method.
    static func name(of method: UInt16) -> String {
        switch method {
        case stored: "stored"
        case deflate: "deflate"
        case 1: "shrink"
        case 2...5: "reduce"
        case 6: "implode"
        case 9: "deflate64"
        case 10: "PKWARE DCL implode"
        case 12: "bzip2"
        case 14: "lzma"
        case 20, 93: "zstd"
        case 94: "mp3"
        case 95: "xz"
        case 96: "jpeg"
        case 97: "wavpack"
        case 98: "ppmd"
        case 99: "AES encryption"
        default: "an unknown method"
        }
    }
}
