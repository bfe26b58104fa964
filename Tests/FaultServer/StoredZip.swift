/// A zip archive of stored entries (APPNOTE 4.3): whatever the names are, and cut or damaged as a test likes.
/// - Parameter extraField: of each entry's local header.
package func storedZip(_ entries: KeyValuePairs<String, [UInt8]>, extraField: [UInt8] = []) -> [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in entries {
        let offset = archive.count
        // Version, flags, method, time, date (1980-01-01).
        let common =
            le16(20) + le16(0x800) + le16(0) + le16(0) + le16(0x21) + le32(crc32(content)) + le32(content.count)
        let lengths = le32(content.count) + le16(name.utf8.count)
        archive +=
            le32(0x0403_4B50) + common + lengths + le16(extraField.count) + Array(name.utf8) + extraField + content
        directory += le32(0x0201_4B50) + le16(0x0314) + common + lengths + le16(0) + le16(0) + le16(0) + le16(0)
        directory += le32(0o100644 << 16) + le32(offset) + Array(name.utf8)
    }
    let end =
        le16(0) + le16(0) + le16(entries.count) + le16(entries.count) + le32(directory.count) + le32(archive.count)
    return archive + directory + le32(0x0605_4B50) + end + le16(0)
}

private func le16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}

private func le32(_ value: some BinaryInteger) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: Int(value) >> (8 * $0)) }
}

/// The least that readers take for an EPUB (EPUB 3.3, section 4.2).
/// - Parameters:
///   - rootfile: the package document that the container names.
///   - isWhole: whether that is there.
package func storedBook(rootfile: String = "book.opf", isWhole: Bool = true) -> [UInt8] {
    let container = "<container><rootfiles><rootfile full-path=\"\(rootfile)\"/></rootfiles></container>"
    return storedZip([
        "mimetype": Array("application/epub+zip".utf8), "META-INF/container.xml": Array(container.utf8),
        isWhole ? rootfile : "other.opf": Array("<package/>".utf8),
    ])
}
