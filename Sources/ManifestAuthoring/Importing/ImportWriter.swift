import JSONSyntax
import Platform

/// Writes a manifest of lists: of each a bundle, with its files in the list's order.
struct ImportWriter {
    private var text: ManifestText
    private var names = BundleNames()
    private let limitBytes: Int64

    init(_ header: ManifestHeader, limitBytes: Int64) throws(ImportProblem) {
        self.limitBytes = limitBytes
        text = try ImportProblem.written { () throws(SystemError) in try ManifestText(header) }
    }

    mutating func add(_ file: ImportedFile) throws(ImportProblem) {
        try ImportProblem.written { () throws(SystemError) in
            try text.list { writer in
                writer.member("path", file.path)
                writer.member("urls", file.urls)
                if let size = file.sizeBytes { writer.member("size", size) }
                if let digest = file.digest { writer.member("sha256", digest.description) }
                for (algorithm, digest) in file.otherDigests.sorted(by: { $0.key < $1.key }) {
                    writer.member("x-\(algorithm.rawValue)", hexText(digest))
                }
                for note in file.notes { writer.member("x-\(note.key)", note.value) }
            }
        }
        try checkSize()
    }

    /// Makes a bundle of the files since the last one.
    mutating func endBundle(_ stem: [UInt8], _ facts: ListFacts) throws(ImportProblem) {
        try ImportProblem.written { () throws(SystemError) in
            try text.endList(names.next(for: stem)) { writer in
                if let title = facts.title { writer.member("title", title) }
                if let version = facts.version { writer.member("version", version) }
                for note in facts.notes { writer.member("x-\(note.key)", note.value) }
            }
        }
    }

    mutating func end() throws(ImportProblem) -> OwnedDescriptor {
        let whole = try ImportProblem.written { () throws(SystemError) in try text.end() }
        try checkSize()
        return whole
    }

    private func checkSize() throws(ImportProblem) {
        if text.sizeBytes > limitBytes { throw .tooLarge(limitBytes: limitBytes) }
    }
}
