import Archives
import Glibc
import Platform

/// What is known of a file once all of it was read.
struct FileFacts: Sendable {
    let sizeBytes: Int64
    let digest: SHA256Digest
    /// Nil: the file isn't what its name promises, or it promises nothing.
    let form: FileForm?
}

/// Reads files, one after the other.
final class FileInspector {
    private let selection: FileSelection
    private let observer: CreationObserver
    private let hasher = SHA256()
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 4096)

    private static let pieceBytes = 256 << 10
    /// Of what is larger the page cache lets go what was read: it would push out what the machine needs.
    private static let largeBytes: Int64 = 64 << 20

    init(_ selection: FileSelection, _ observer: CreationObserver) {
        self.selection = selection
        self.observer = observer
    }

    deinit { piece.deallocate() }

    /// - Returns: nil for what the manifest itself goes into.
    /// - Throws: `changed` for a file that somebody writes to meanwhile, or that is another one than was looked at.
    func inspect(_ item: InspectionItem) throws(CreationProblem) -> FileFacts? {
        let file = try open(item)
        let before = try status(of: file)
        if selection.isOutput(before) { return nil }
        let digest = try digest(of: file, before.sizeBytes)
        let after = try status(of: file)
        guard before.kind == .file, after.sizeBytes == before.sizeBytes, after.modified == before.modified, let digest
        else { throw .changed(file.name) }
        if case .presentation(let parsed) = item.role, parsed != digest { throw .changed(file.name) }
        let form = if case .plain = item.role { try form(of: file, item.path.name) } else { FileForm?.none }
        return FileFacts(sizeBytes: before.sizeBytes, digest: digest, form: form)
    }

    private func open(_ item: InspectionItem) throws(CreationProblem) -> OwnedDescriptor {
        do throws(SystemError) { return try item.folder.open(item.path) } catch {
            // It was there, and was a file.
            if error.isNotFound || error.code == ELOOP { throw .changed(item.folder.shown(item.path)) }
            throw .system(error)
        }
    }

    private func status(of file: OwnedDescriptor) throws(CreationProblem) -> FileStatus {
        try CreationProblem.asked { () throws(SystemError) in try file.status() }
    }

    /// Nil where there are more or fewer bytes than `sizeBytes`.
    private func digest(of file: OwnedDescriptor, _ sizeBytes: Int64) throws(CreationProblem) -> SHA256Digest? {
        hasher.reset()
        var (done, kept): (Int64, Int64) = (0, 0)
        while true {
            guard !observer.shouldStop() else { throw .stopped }
            let count = try CreationProblem.asked { () throws(SystemError) in try file.read(into: piece, at: done) }
            hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            done += Int64(count)
            if count > 0 { observer.didRead(count) }
            if done - kept >= Self.largeBytes {
                file.forgetCached(done - kept, at: kept)
                kept = done
            }
            // A file that grew is read no further than it takes to see that.
            guard count == piece.count, done <= sizeBytes else { break }
        }
        return done == sizeBytes ? hasher.finalize() : nil
    }

    private func form(of file: OwnedDescriptor, _ name: RelativePath) throws(CreationProblem) -> FileForm? {
        guard let promised = FileForm.promised(by: name) else { return nil }
        do throws(ArchiveError) {
            let why = try objection(to: FileSource(file), promised.form, promised.formats)
            guard let why else { return promised.form }
            observer.warn("\(file.name): \(why): it is taken as a file like any other")
            return nil
        } catch {
            switch error.code {
            case .stopped: throw .stopped
            case .unreadable: throw .unreadable("\(error)")
            default:
                let what = error.archive.isEmpty ? "\(file.name): \(error)" : "\(error)"
                observer.warn("\(what): it is taken as a file like any other")
                return nil
            }
        }
    }

    /// Why sync wouldn't take the file for what its name says; nil where it would.
    private func objection(
        to source: FileSource, _ form: FileForm, _ formats: Set<ArchiveFormat>
    ) throws(ArchiveError) -> String? {
        switch form {
        case .archive: try objection(toArchive: source, formats)
        case .ebook: try objection(toBook: source)
        }
    }

    /// Of a tar only the beginning is looked at: it has no directory that would say the rest.
    private func objection(
        toArchive source: FileSource, _ formats: Set<ArchiveFormat>
    ) throws(ArchiveError) -> String? {
        let format = try ArchiveFormat.detect(source)
        guard formats.contains(format) else { return "it is \(format.rawValue) and not what its name says" }
        guard format == .zip else { return nil }
        var unreadable: (count: Int, method: String) = (0, "")
        let stops = UnpackObserver(shouldStop: observer.shouldStop)
        _ = try Unpacker(source: source, format: .zip).list(observer: stops) { entry in
            guard entry.kind == .file, let method = entry.method, !["stored", "deflate"].contains(method) else {
                return
            }
            unreadable = (unreadable.count + 1, method)
        }
        guard unreadable.count > 0 else { return nil }
        return "\(unreadable.count) of its entries can't be unpacked (\(unreadable.method))"
    }

    private func objection(toBook source: FileSource) throws(ArchiveError) -> String? {
        let faults: [EPUBFault]
        do throws(ArchiveError) {
            faults = try EPUBCheck(source, isStopped: observer.shouldStop).faults()
        } catch {
            // Whoever unpacks it has to be told. A book isn't unpacked.
            if [.unsafe, .limitExceeded].contains(error.code) { return nil }
            throw error
        }
        if let fault = faults.first(where: \.isBreaking) { return "the book is broken: \(fault.message)" }
        for fault in faults { observer.warn("\(source.name): not every reader may open the book: \(fault.message)") }
        return nil
    }
}
