import JSONSyntax
import Platform

/// A file to be read, and what whoever asked knows it by.
struct InspectionItem: Sendable {
    enum Role: Sendable {
        /// A playlist that a presentation begins with, and the digest of what was understood of it.
        case presentation(SHA256Digest)
        /// Whatever else: its name and content tell.
        case plain
        /// What the manifest names already, in this object: of a file as it stands there.
        case known(JSONPlace)
    }

    let path: RelativePath
    let folder: SourceFolder
    let role: Role
}
