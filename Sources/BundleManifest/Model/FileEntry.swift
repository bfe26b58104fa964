/// A file of a `files` bundle.
package struct FileEntry: Sendable, Equatable {
    /// Where it stands in the bundle: relative, with neither `.` nor `..`.
    package let path: String
    package let source: SourceFile
}
