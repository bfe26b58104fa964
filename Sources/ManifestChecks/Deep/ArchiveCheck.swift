import Archives
import BundleManifest
import Jobs
import Platform

/// Reads an archive as unpacking would, and creates nothing.
struct ArchiveCheck {
    typealias Problem = FormatLook.Problem

    let file: LocalFile
    let package: PackagedFile
    /// Whether there have to be images in it.
    let holdsImages: Bool
    let isStopped: @Sendable () -> Bool

    func problems() -> [Problem] {
        do {
            let source = try FileSource(file.descriptor, name: file.name)
            let format = try package.archiveFormat()
            let policy = try package.extractionPolicy()
            return try problems(source, format, policy)
        } catch let error as ArchiveError {
            return problem(of: error).map { [$0] } ?? []
        } catch {
            return [Problem(rule: .archiveUnsupported, message: "\(file.name): \(error)")]
        }
    }

    private func problems(
        _ source: FileSource, _ format: ArchiveFormat?, _ policy: ExtractionPolicy
    ) throws(ArchiveError) -> [Problem] {
        var found: [Problem] = []
        do throws(ArchiveError) {
            let looks = Locked(EntryLooks())
            var observer = UnpackObserver(shouldStop: isStopped)
            if holdsImages {
                observer.didExamine = { path, bytes, offset in
                    looks.withLock { $0.take(bytes, of: path, at: offset) }
                }
            }
            let summary = try Unpacker(source: source, format: format, policy: policy).check(observer: observer)
            if let oddity = summary.warnings.first {
                let others = summary.warnings.count - 1
                let rest = others == 0 ? "" : " (and \(others) more)"
                found.append(Problem(rule: .archiveOddity, message: "\(file.name): \(oddity)\(rest)"))
            }
            if holdsImages { found += looks.withLock { $0.finish() }.problems(of: file.name) }
        } catch {
            if error.code == .stopped { return [] }
            if let format, let real = try? ArchiveFormat.detect(source), real != format {
                return [
                    Problem(
                        rule: .otherArchiveFormat,
                        message: "\(file.name): it is \(real.rawValue), and the manifest says \(format.rawValue)")
                ]
            }
            found += problem(of: error).map { [$0] } ?? []
            guard error.code == .notSelectable else { return found }
        }
        return found + selectionProblems(source, format, policy)
    }

    /// What `strip`, `include` and `exclude` leave out, or fail to. The archive's structure is known to be sound by now.
    private func selectionProblems(
        _ source: FileSource, _ format: ArchiveFormat?, _ policy: ExtractionPolicy
    ) -> [Problem] {
        guard !policy.selection.isEverything else { return [] }
        var listing = policy
        listing.selection = .everything
        var use = SelectionUse(package.unpack)
        let unpacker = Unpacker(source: source, format: format, policy: listing)
        guard (try? unpacker.list(observer: UnpackObserver(shouldStop: isStopped)) { use.note($0) }) != nil else {
            return []
        }
        return use.problems(of: file.name)
    }

    private func problem(of error: ArchiveError) -> Problem? {
        let rule: ContentRule
        switch error.code {
        case .malformed, .corrupted, .unreadable, .unwritable, .noSpace: rule = .archiveDamaged
        case .unsafe: rule = .archiveUnsafe
        case .unsupported: rule = .archiveUnsupported
        case .limitExceeded: rule = .archiveOverLimit
        case .notSelectable: rule = .nothingSelected
        case .stopped: return nil
        }
        return Problem(rule: rule, message: error.archive.isEmpty ? "\(file.name): \(error)" : "\(error)")
    }
}

/// Looks at the ends of the files in an archive, which come one after the other.
private struct EntryLooks: Sendable {
    private var current: (path: RelativePath, ends: FileEnds)?
    private var problem: FormatLook.Problem?
    private var problemCount = 0
    private var imageCount = 0

    mutating func take(_ bytes: UnsafeRawBufferPointer, of path: RelativePath, at offset: Int64) {
        if offset == 0 {
            _ = finish()
            current = (path, FileEnds())
        }
        current?.ends.append(bytes)
    }

    mutating func finish() -> EntryLooks {
        if let (path, ends) = current {
            let look = FormatLook(ends, path: path.description, label: "entry '\(path)'")
            if look.isImage { imageCount += 1 }
            if look.problem != nil { problemCount += 1 }
            problem = problem ?? look.problem
        }
        current = nil
        return self
    }

    func problems(of archive: String) -> [FormatLook.Problem] {
        if imageCount == 0 {
            return [FormatLook.Problem(rule: .noImages, message: "\(archive): none of its selected files is an image")]
        }
        guard let problem else { return [] }
        let rest = problemCount == 1 ? "" : " (and \(problemCount - 1) more files like this)"
        return [FormatLook.Problem(rule: problem.rule, message: "\(archive): \(problem.message)\(rest)")]
    }
}
