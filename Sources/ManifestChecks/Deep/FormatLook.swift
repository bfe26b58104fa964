import Archives
import BundleManifest
import Platform

/// What is wrong with a file that is here, still without its place in the text.
struct FileProblem {
    /// Which part of the manifest it is about.
    enum Subject {
        case source
        /// A key of `unpack`.
        case option(String)
        /// An element of a list in `unpack`.
        case pattern(key: String, index: Int)
    }

    let rule: ContentRule
    let message: String
    var subject = Subject.source
}

/// A look at whether a file is what its name says, and whole.
struct FormatLook {
    /// Whether name or content are those of an image.
    let isImage: Bool
    let problem: FileProblem?

    /// - Parameters:
    ///   - path: the name that counts.
    ///   - label: what messages call the file; safe to print.
    ///   - isSegment: whether it is one of a list that is played.
    init(_ ends: FileEnds, path: String, label: String, isSegment: Bool = false) {
        let found = FileFormat(ends)
        isImage = [FileFormat(nameOf: path), found].contains { $0?.isImage == true }
        if let clause = FileFormat.contradiction(of: ends, with: path, isSegment: isSegment) {
            problem = FileProblem(rule: .otherFileType, message: "\(label): \(clause)")
        } else if let found, let fault = ImageEnd.fault(found, ends) {
            problem = FileProblem(rule: .cutImage, message: "\(label): the image is not whole: \(fault)")
        } else {
            problem = nil
        }
    }
}
