import Archives
import BundleManifest
import ContentLibrary
import Platform

/// What came out of an archive, as far as it isn't in the directory it was unpacked into.
struct UnpackedArchive: Sendable {
    /// Of each file.
    let digests: [RelativePath: SHA256Digest]
    let summary: UnpackSummary
}

/// From a package's file to a bundle's content.
extension BundleJob {
    /// Unpacks the file, or places it as it is.
    func fill(
        _ staging: Staging, with file: FetchedFile, package: PackagedFile
    ) throws(BundleFailure) -> [RelativePath: SHA256Digest] {
        guard bundle.isUnpacked else {
            let name = try path(package.keptName)
            do throws(SystemError) { try file.place(at: name, in: staging.directory) } catch {
                throw BundleFailure(error)
            }
            return [name: file.digest]
        }
        let unpacked: UnpackedArchive
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: "")
            let (format, policy) = try reading(of: package)
            unpacked = try unpack(Unpacker(source: source, format: format, policy: policy), into: staging)
        } catch {
            throw BundleFailure(error, url: file.url)
        }
        return try accepted(unpacked, of: file)
    }

    /// Unpacks while the file arrives; nil where that can't be, or isn't worth it.
    func earlyUnpacking(of package: PackagedFile) -> EarlyUnpacking? {
        guard bundle.isUnpacked, package.unpack.format != .zip else { return nil }
        return EarlyUnpacking { archive in
            guard let staging = try? writer.makeStaging() else { return nil }
            do throws(ArchiveError) {
                let (format, policy) = try reading(of: package)
                let unpacker = Unpacker(stream: archive, name: "", format: format, policy: policy)
                return (staging, try unpack(unpacker, into: staging))
            } catch {
                try? staging.discard()
                return nil
            }
        }
    }

    /// Tells of what was unpacked of a file that has come whole.
    /// - Throws: where nobody can tell whether it has.
    /// - Returns: the digest of each file.
    func accepted(
        _ unpacked: UnpackedArchive, of file: FetchedFile
    ) throws(BundleFailure) -> [RelativePath: SHA256Digest] {
        guard file.isProvenComplete || unpacked.summary.isProvenWhole else {
            let cut = ArchiveError(
                .corrupted,
                "its end can't be told from a cut: the server closed the connection without a length; give size or sha256 in the manifest"
            )
            throw BundleFailure(cut, url: file.url)
        }
        for warning in unpacked.summary.warnings { emit(.warning(warning)) }
        emit(.bundleUnpacked(files: unpacked.summary.files, bytes: unpacked.summary.bytes))
        return unpacked.digests
    }

    private func reading(
        of package: PackagedFile
    ) throws(ArchiveError) -> (format: ArchiveFormat?, policy: ExtractionPolicy) {
        let format: ArchiveFormat?
        do throws(BundleFailure) { format = try package.archiveFormat() } catch {
            throw ArchiveError(.unsupported, error.message)
        }
        return (format, try package.extractionPolicy())
    }

    private func unpack(_ unpacker: Unpacker, into staging: Staging) throws(ArchiveError) -> UnpackedArchive {
        let digests = Locked<[RelativePath: SHA256Digest]>([:])
        let observer = UnpackObserver(
            shouldStop: { [control = fetcher.control] in control.reason != nil },
            didWrite: { [limits = fetcher.limits] in limits.note(written: Int64($0)) },
            didCreate: { entry in
                guard case .file(_, let sha256, _) = entry.content, let digest = SHA256Digest(bytes: sha256) else {
                    return
                }
                digests.withLock { $0[entry.relativePath] = digest }
            })
        let summary = try unpacker.unpack(into: staging.directory, observer: observer)
        return UnpackedArchive(digests: digests.withLock { $0 }, summary: summary)
    }
}
