import Archives

extension EPUBCheck {
    /// What is wrong with a book that is here.
    static func problems(of file: LocalFile, isStopped: @escaping @Sendable () -> Bool) -> [FileProblem] {
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: file.name)
            return try EPUBCheck(source, isStopped: isStopped).faults().map { fault in
                FileProblem(rule: fault.rule, message: "\(file.name): \(fault.message)")
            }
        } catch {
            if error.code == .stopped { return [] }
            return [FileProblem(rule: .archiveDamaged, message: "\(error)")]
        }
    }
}

extension EPUBFault {
    fileprivate var rule: ContentRule {
        switch kind {
        case .mimetype: .epubMimetype
        case .container: .epubContainer
        case .rootfile: .epubRootfile
        }
    }
}
