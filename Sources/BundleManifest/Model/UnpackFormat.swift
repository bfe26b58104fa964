/// The `format` of `unpack`, as manifests spell it.
package enum UnpackFormat: String, Sendable, CaseIterable {
    /// By the first bytes.
    case auto
    case zip, tar
    case tarGzip = "tar.gz"
    case gzip, zlib, deflate
    /// Kept whole.
    case none
}
