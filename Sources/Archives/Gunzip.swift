/// The content of a gzip file that is in memory (RFC 1952).
/// - Parameter limitBytes: what it may grow to.
/// - Throws: `ArchiveError`; `limitExceeded` for more.
package func gunzipped(_ bytes: [UInt8], limitBytes: Int) throws(ArchiveError) -> [UInt8] {
    let result = bytes.withUnsafeBytes { source in
        Result { () throws(ArchiveError) -> [UInt8] in
            let stream = try GzipStream(BufferedInput(MemoryStream(source)))
            var content: [UInt8] = []
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
            defer { piece.deallocate() }
            while true {
                let count = try stream.read(into: piece)
                if count == 0 { return content }
                content += piece[..<count]
                guard content.count <= limitBytes else {
                    throw ArchiveError(.limitExceeded, "it unpacks to more than \(limitBytes) bytes")
                }
            }
        }
    }
    return try result.get()
}
