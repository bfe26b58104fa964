import CDeflate

/// Inflates what is in memory as a whole, in less than half of the time that zlib takes, which may be given any piece next.
final class WholeInflater {
    private let decompressor: OpaquePointer

    /// Nil when there is no memory for it.
    init?() {
        guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
        self.decompressor = decompressor
    }

    deinit { libdeflate_free_decompressor(decompressor) }

    /// Whether `input` is one deflate stream (RFC 1951), with nothing behind it, of exactly as many bytes as `output` has room for. What is wrong with it
    /// otherwise isn't told.
    ///
    /// Of streams that no compressor writes, some pass that zlib refuses: those that use or declare the codes which the format reserves, or the second
    /// code of a tree that has one.
    func inflates(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        var (consumed, produced) = (0, 0)
        let result = libdeflate_deflate_decompress_ex(
            decompressor, input.baseAddress, input.count, output.baseAddress, output.count, &consumed, &produced)
        return result == LIBDEFLATE_SUCCESS && consumed == input.count && produced == output.count
    }
}
