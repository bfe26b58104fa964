import Downloads
import Glibc
import Platform
import Transfer

extension ManifestLocation {
    /// A manifest of a million segments is half of this; more is nothing we would want in memory.
    private static let limitBytes = 256 << 20

    /// Reads the text of the manifest, and judges nothing but that it is one.
    /// - Parameters:
    ///   - downloader: asked for only where something has to be fetched.
    ///   - known: what needn't be fetched again while the server still has it.
    /// - Throws: `RunProblem` with 66 when it can't be read, 1 or 73 when it can't be kept while it is.
    func read(
        _ downloader: @autoclosure () -> Downloader, _ redirects: RedirectPolicy, unless known: KnownManifest? = nil
    ) async throws(RunProblem) -> ManifestReply {
        let limitBytes = Self.limitBytes
        var reply: ManifestReply
        do {
            switch self {
            case .file(let path):
                reply = ManifestReply(
                    bytes: try await readAbandonably { () throws(SystemError) in
                        try OwnedDescriptor.open(path, flags: O_RDONLY).readAll(limitBytes: limitBytes)
                    })
            case .standardInput:
                reply = ManifestReply(
                    bytes: try await readAbandonably { () throws(SystemError) in
                        // Ours for the moment only: the descriptor itself stays open.
                        let copy = OwnedDescriptor(adopting: dup(STDIN_FILENO), name: "standard input")
                        return try copy.readAll(limitBytes: limitBytes)
                    })
            case .remote(let url):
                var request = DownloadRequest(url)
                request.budgetBytes = Int64(limitBytes)
                request.priority = .max
                request.redirects = redirects
                request.condition = known?.record.validator.map { DownloadCondition(validator: $0, of: url) }
                let file = try await downloader().download(request)
                reply = ManifestReply(bytes: try file.bytes(limitBytes: limitBytes), validator: file.validator)
            }
        } catch let error as DownloadError where error.code == .cancelled {
            throw .stopped
        } catch is CancellationError {
            throw .stopped
        } catch let error as DownloadError where error.code == .noSpace {
            throw RunProblem(.noSpace, "\(self): there is no room for the manifest: \(error)")
        } catch let error as DownloadError where error.code == .fileFailed {
            // This machine is to blame, not whoever has the manifest.
            throw RunProblem(.failure, "\(self): there is no place for the manifest: \(error)")
        } catch let error as DownloadError where error.code == .notModified {
            return try unchanged(known)
        } catch {
            throw RunProblem(.unreadable, "\(self): the manifest can't be read: \(error)")
        }
        try refuseHTMLPage(reply.bytes)
        reply.isUnchanged = reply.bytes == known?.bytes
        return reply
    }

    private func unchanged(_ known: KnownManifest?) throws(RunProblem) -> ManifestReply {
        guard let known else {
            throw RunProblem(.unreadable, "\(self): the server says that nothing changed without having been asked")
        }
        return ManifestReply(bytes: known.bytes, validator: known.record.validator, isUnchanged: true)
    }

    /// Networks that ask for a login answer every request with a page for people, and with status 200.
    private func refuseHTMLPage(_ bytes: [UInt8]) throws(RunProblem) {
        guard case .remote = self, HTMLPage.begins(Array(bytes.prefix(HTMLPage.headBytes))) else { return }
        throw RunProblem(.unreadable, "\(self): \(HTMLPage.found(insteadOf: "the manifest"))")
    }

    /// What stands for the place in the library's index: it may have secrets in it. Nil for standard input, which is no place.
    var recordKey: SHA256Digest? {
        switch self {
        case .file(let path): SHA256.digest(of: "file \(absolutePath(path))".utf8)
        case .remote(let url): SHA256.digest(of: url.text.utf8)
        case .standardInput: nil
        }
    }
}
