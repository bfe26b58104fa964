import Archives
import BundleManifest
import Jobs
import Platform

/// Reads an archive as unpacking would, and creates nothing.
struct ArchiveCheck {
    let file: LocalFile
    let package: PackagedFile
    /// Whether there have to be images in it.
    let holdsImages: Bool
    let isStopped: @Sendable () -> Bool

    func problems() -> [FileProblem] {
        do {
            let source = try FileSource(file.descriptor, name: file.name)
            let format = try package.archiveFormat()
            let policy = try package.extractionPolicy()
            return try problems(source, format, policy)
        } catch let error as ArchiveError {
            return problem(of: error).map { [$0] } ?? []
        } catch {
            return [FileProblem(rule: .archiveUnsupported, message: "\(file.name): \(error)")]
        }
    }

    private func problems(
        _ source: FileSource, _ format: ArchiveFormat?, _ policy: ExtractionPolicy
    ) throws(ArchiveError) -> [FileProblem] {
        var found: [FileProblem] = []
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
                found.append(FileProblem(rule: .archiveOddity, message: "\(file.name): \(oddity)\(rest)"))
            }
            if holdsImages { found += looks.withLock { $0.problems(of: file.name) } }
        } catch {
            if error.code == .stopped { return [] }
            if let format, let real = try? ArchiveFormat.detect(source), real != format {
                return [
                    FileProblem(
                        rule: .otherArchiveFormat,
                        message: "\(file.name): it is \(real.rawValue), and the manifest says \(format.rawValue)",
                        subject: .option("format"))
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
    ) -> [FileProblem] {
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

    private func problem(of error: ArchiveError) -> FileProblem? {
        let rule: ContentRule
        switch error.code {
        case .malformed, .corrupted, .unreadable, .unwritable, .noSpace: rule = .archiveDamaged
        case .unsafe: rule = .archiveUnsafe
        case .unsupported: rule = .archiveUnsupported
        case .limitExceeded: rule = .archiveOverLimit
        case .notSelectable: rule = .nothingSelected
        case .stopped: return nil
        }
        return FileProblem(rule: rule, message: error.archive.isEmpty ? "\(file.name): \(error)" : "\(error)")
    }
}

/// Looks at the ends of the files in an archive, which come one after the other.
private struct EntryLooks: Sendable {
    private var current: (path: RelativePath, ends: FileEnds)?
    private var problem: FileProblem?
    private var problemCount = 0
    private var imageCount = 0

    mutating func take(_ bytes: UnsafeRawBufferPointer, of path: RelativePath, at offset: Int64) {
        if offset == 0 {
            conclude()
            current = (path, FileEnds())
        }
        current?.ends.append(bytes)
    }

    private mutating func conclude() {
        if let (path, ends) = current {
            let look = FormatLook(ends, path: path.description, label: "entry '\(path)'")
            if look.isImage { imageCount += 1 }
            if look.problem != nil { problemCount += 1 }
            problem = problem ?? look.problem
        }
        current = nil
    }

    /// - Returns: what all files together show.
    mutating func problems(of archive: String) -> [FileProblem] {
        conclude()
        if imageCount == 0 {
            return [FileProblem(rule: .noImages, message: "\(archive): none of its selected files is an image")]
        }
        guard let problem else { return [] }
        let rest = problemCount == 1 ? "" : " (and \(problemCount - 1) more files like this)"
        return [FileProblem(rule: problem.rule, message: "\(archive): \(problem.message)\(rest)")]
    }
}
