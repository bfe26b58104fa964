import Archives
import ContentLibrary
import Glibc
import Platform

/// Images of a bundle of textures that aren't what their names say.
extension BundleJob {
    /// The first ones of many are named.
    private static let mostNamed = 100

    /// Looks at how each image begins. Nobody is kept from having it: programs that look at the content show it all the same.
    func warnOfMisnamedImages(among files: some Sequence<RelativePath>, in staging: Staging) {
        let images = files.filter { FileFormat(nameOf: $0.description)?.isImage == true }
        var count = 0
        for path in images.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            // Whoever seals it finds that the run has ended.
            if fetcher.control.reason != nil { return }
            guard let clause = contradiction(at: path, in: staging.directory) else { continue }
            count += 1
            if count <= Self.mostNamed { emit(.warning("the image '\(path)': \(clause)")) }
        }
        let rest = count - Self.mostNamed
        if rest > 0 { emit(.warning("and \(rest) more images are not what their names say")) }
    }

    /// What can't be read is found by whoever seals it.
    private func contradiction(at path: RelativePath, in directory: Directory) -> String? {
        guard let file = try? directory.open(path, flags: O_RDONLY), let status = try? file.status(),
            let ends = try? FileEnds(of: file, sizeBytes: status.sizeBytes)
        else { return nil }
        return FileFormat.contradiction(of: ends, with: path.description)
    }
}
