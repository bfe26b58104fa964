/// The bits of an entry's general purpose flag that matter here (APPNOTE 4.4.4).
enum ZipFlag {
    static let encrypted: UInt16 = 1 << 0
    static let descriptor: UInt16 = 1 << 3
    static let patch: UInt16 = 1 << 5
    static let utf8: UInt16 = 1 << 11
    static let maskedHeader: UInt16 = 1 << 13
}
