import BundleManifest
import Platform

/// A look at whether a file is what its name says, and whole.
struct FormatLook {
    /// What the ends of the file show, still without its place.
    struct Problem {
        let rule: ContentRule
        let message: String
    }

    /// Whether name or content are those of an image.
    let isImage: Bool
    let problem: Problem?

    /// - Parameters:
    ///   - path: the name that counts.
    ///   - label: what messages call the file; safe to print.
    init(_ ends: FileEnds, path: String, label: String) {
        let named = FileFormat(nameOf: path)
        let found = FileFormat(ends)
        isImage = [named, found].contains { $0.map(FileFormat.images.contains) ?? false }
        if let named, named != found {
            let what = found.map { "is \($0.rawValue)" } ?? "doesn't begin like that"
            problem = Problem(
                rule: .otherFileType, message: "\(label): by its name it is \(named.rawValue), but it \(what)")
        } else if let found, let fault = ImageEnd.fault(found, ends) {
            problem = Problem(rule: .cutImage, message: "\(label): the image is not whole: \(fault)")
        } else {
            problem = nil
        }
    }
}
