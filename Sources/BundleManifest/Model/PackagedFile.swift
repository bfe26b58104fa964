/// One download that is unpacked, or kept whole.
package struct PackagedFile: Sendable, Equatable {
    package let source: SourceFile
    /// What the file is called when it is kept whole. Nil: the last component of the URL's path, decoded and made safe.
    package let filename: String?
    package let unpack: UnpackOptions
}
