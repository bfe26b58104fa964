import Archives
import BundleManifest
import ContentLibrary
import Downloads
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
            if EPUBCheck.isDue(for: package.keptName) { try refuseBrokenBook(file, package) }
            do throws(SystemError) { try file.place(at: name, in: staging.directory) } catch {
                throw BundleFailure(error)
            }
            return [name: file.digest]
        }
        let unpacked: UnpackedArchive
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: "")
            let (format, policy) = try reading(of: package)
            unpacked = try unpack(
                Unpacker(source: source, format: format, policy: policy), into: staging, salvage, observer)
        } catch {
            throw BundleFailure(error, url: file.url)
        }
        return try accepted(unpacked, of: file)
    }

    /// Reads the book: who opens it later can't have it anew.
    private func refuseBrokenBook(_ file: FetchedFile, _ package: PackagedFile) throws(BundleFailure) {
        let faults: [EPUBFault]
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: "")
            let limits = try package.extractionPolicy().limits
            faults = try EPUBCheck(source, limits: limits, isStopped: observer.shouldStop).faults()
        } catch {
            // Whoever unpacks it has to be told. It isn't unpacked here.
            if [.unsafe, .limitExceeded].contains(error.code) { return }
            throw BundleFailure(error, url: file.url)
        }
        if let fault = faults.first(where: \.isBreaking) {
            throw BundleFailure(.archiveDamaged, "the book is broken: \(fault.message)", url: file.url)
        }
        for fault in faults { emit(.warning("not every reader may open the book: \(fault.message)")) }
    }

    /// Unpacks while the file arrives; nil where that can't be, or isn't worth it.
    func earlyUnpacking(of package: PackagedFile) -> EarlyUnpacking? {
        guard bundle.isUnpacked else { return nil }
        let isZip: @Sendable ([UInt8]) -> Bool = { head in
            package.unpack.format == .zip || package.unpack.format == .auto && ArchiveFormat.beginsZip(head)
        }
        let isStopped = { @Sendable [control = fetcher.control] in control.reason != nil }
        return EarlyUnpacking(readsEndFirst: isZip, isStopped: isStopped) { arriving in
            guard let staging = try? writer.makeStaging(for: plan.address) else { return nil }
            let outcome = Result { () throws(ArchiveError) in
                let unpacker = try unpacker(of: arriving, package, isZip)
                let salvage = salvage
                return try unpack(unpacker, into: staging, salvage, observer(ofUnproven: arriving, salvage))
            }
            return (staging, outcome)
        }
    }

    private func unpacker(
        of arriving: ArrivingBytes, _ package: PackagedFile, _ isZip: ([UInt8]) -> Bool
    ) throws(ArchiveError) -> Unpacker {
        let (format, policy) = try reading(of: package)
        guard let head = arriving.head, isZip(head) else {
            return Unpacker(stream: ArrivingStream(arriving), name: "", format: format, policy: policy)
        }
        return Unpacker(arrivingZip: try ArrivingSource(arriving), policy: policy)
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

    /// What runs that were cut short had unpacked.
    private var salvage: Salvage? { writer.salvage(of: plan.address) }

    private var observer: UnpackObserver {
        UnpackObserver(
            shouldStop: { [control = fetcher.control] in control.reason != nil },
            didWrite: { [limits = fetcher.limits] in limits.note(written: Int64($0)) })
    }

    /// What stays free beside what is still to come, when bytes that may be anything are unpacked: others write as well.
    private static var spareBytes: Int64 { 64 << 20 }

    /// Nobody knows yet whether it is the right archive. Neither ends the run for want of room, nor does anything go to make some: that is for the
    /// archive once it is proven.
    private func observer(ofUnproven arriving: ArrivingBytes, _ salvage: Salvage?) -> UnpackObserver {
        let (control, limits) = (fetcher.control, fetcher.limits)
        let hasRoom = { @Sendable bytes in limits.hasRoom(for: arriving.missingBytes.addingClamped(bytes)) }
        let room = Locked((unseenBytes: Int64(0), isShort: !hasRoom(Self.spareBytes)))
        var observer = UnpackObserver(
            shouldStop: { control.reason != nil || room.withLock { $0.isShort } },
            didWrite: { bytes in
                control.noteActivity()
                let isDue = room.withLock { room in
                    room.unseenBytes += Int64(bytes)
                    guard room.unseenBytes >= 1 << 20 else { return false }
                    room.unseenBytes = 0
                    return true
                }
                if isDue, !hasRoom(Self.spareBytes) { room.withLock { $0.isShort = true } }
            })
        let stagedBytes = salvage?.unpackedBytes ?? 0
        observer.mayUnpack = { bytes in hasRoom(max(0, bytes - stagedBytes).addingClamped(Self.spareBytes)) }
        observer.didFail = arriving.abandon
        return observer
    }

    private func unpack(
        _ unpacker: Unpacker, into staging: Staging, _ salvage: Salvage?, _ observer: UnpackObserver
    ) throws(ArchiveError) -> UnpackedArchive {
        let digests = Locked<[RelativePath: SHA256Digest]>([:])
        var observer = observer
        observer.didCreate = { entry in
            guard let digest = entry.digest else { return }
            digests.withLock { $0[entry.relativePath] = digest }
        }
        observer.startsWriteback = true
        observer.journal = StagedEntries(salvage, in: staging, fetcher.control).journal
        let summary = try unpacker.unpack(into: staging.directory, observer: observer)
        return UnpackedArchive(digests: digests.withLock { $0 }, summary: summary)
    }
}
