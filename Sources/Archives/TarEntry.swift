import Platform

/// One entry of a tar archive, with everything that extension headers said of it.
struct TarEntry {
    let kind: TarHeader.Kind
    let name: [UInt8]
    let linkName: [UInt8]
    let mode: UInt32
    let modified: Timestamp?
    /// Where its header is, in bytes from the start of the tar.
    let offsetBytes: Int64
    /// The data as it stands in the archive; to be read before the next entry is asked for.
    let data: TarData
    /// For a sparse file: its extents (nil when the map stands in the data) and its real length.
    let sparse: (extents: [TarExtent]?, realBytes: Int64)?

    /// The content: the data, or for a sparse file the file with its holes.
    func content() throws(ArchiveError) -> any ByteStream {
        guard let sparse else { return data }
        let extents: [TarExtent]
        if let known = sparse.extents { extents = known } else { extents = try TarExtent.readMap(from: data) }
        return try SparseStream(
            data, dataBytes: data.remainingBytes, extents: extents, realBytes: sparse.realBytes)
    }
}
