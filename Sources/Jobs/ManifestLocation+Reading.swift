import BundleManifest
import Downloads
import Glibc
import Platform
import Transfer

extension ManifestLocation {
    /// A manifest of a million segments is half of this; more is nothing we would want in memory.
    package static let limitBytes = 256 << 20

    /// Reads the text of the manifest, and judges nothing but that it is one.
    /// - Parameters:
    ///   - downloader: asked for only where something has to be fetched.
    ///   - known: what needn't be fetched again while the server still has it.
    /// - Throws: `RunProblem` with 66 when it can't be read, 1 or 73 when it can't be kept while it is.
    func read(
        _ downloader: @autoclosure () -> Downloader, _ redirects: RedirectPolicy, unless known: KnownManifest? = nil
    ) async throws(RunProblem) -> ManifestReply {
        var reply: ManifestReply
        do {
            reply = try await fetch(
                limitBytes: Self.limitBytes, downloader(), redirects, validator: known?.record.validator)
        } catch let error as DownloadError where error.code == .notModified {
            return try unchanged(known)
        } catch {
            throw problem(error, reading: "manifest")
        }
        try refuseHTMLPage(reply.bytes, insteadOf: "the manifest")
        reply.isUnchanged = reply.bytes == known?.bytes
        return reply
    }

    /// Reads the signature that lies beside the manifest, and believes nothing of it yet.
    /// - Throws: `RunProblem` with 77 when there is none, 66 when that can't be told, 1 or 73 when it can't be kept while it is read.
    func readSignature(
        _ downloader: @autoclosure () -> Downloader, _ redirects: RedirectPolicy
    ) async throws(RunProblem) -> MinisignSignature {
        guard let place = signature else {
            throw RunProblem(
                .refused,
                "\(self): nothing lies beside it, and so no signature; save it as a file, with its signature beside it"
            )
        }
        guard fileName?.isEmpty == false else {
            throw RunProblem(
                .refused, "\(self): it has no name that a signature could be of; name the manifest's file in the URL")
        }
        let bytes: [UInt8]
        do {
            bytes = try await place.fetch(limitBytes: MinisignSignature.limitBytes, downloader(), redirects).bytes
        } catch let error as DownloadError
            where [.unacceptableStatus(404), .unacceptableStatus(410)].contains(error.code)
        {
            throw unsigned(place)
        } catch let error as SystemError where error.isNotFound {
            throw unsigned(place)
        } catch {
            throw place.problem(error, reading: "signature")
        }
        try place.refuseHTMLPage(bytes, insteadOf: "the manifest's signature")
        do throws(SignatureError) { return try MinisignSignature(bytes) } catch {
            throw RunProblem(.refused, "\(place): \(error)")
        }
    }

    private func unsigned(_ place: ManifestLocation) -> RunProblem {
        RunProblem(.refused, "\(self): it isn't signed: there is no \(place)")
    }

    /// - Parameter validator: what needn't be fetched again while the server still has it.
    private func fetch(
        limitBytes: Int, _ downloader: @autoclosure () -> Downloader, _ redirects: RedirectPolicy,
        validator: String? = nil
    ) async throws -> ManifestReply {
        switch self {
        case .file(let path):
            return ManifestReply(
                bytes: try await readAbandonably { () throws(SystemError) in
                    try OwnedDescriptor.open(path, flags: O_RDONLY).readAll(limitBytes: limitBytes)
                })
        case .standardInput:
            return ManifestReply(
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
            request.condition = validator.map { DownloadCondition(validator: $0, of: url) }
            let file = try await downloader().download(request)
            return ManifestReply(bytes: try file.bytes(limitBytes: limitBytes), validator: file.validator)
        }
    }

    private func problem(_ error: any Error, reading what: String) -> RunProblem {
        switch (error as? DownloadError)?.code {
        case .cancelled?: .stopped
        case .noSpace?: RunProblem(.noSpace, "\(self): there is no room for the \(what): \(error)")
        // This machine is to blame, not whoever has the manifest.
        case .fileFailed?: RunProblem(.failure, "\(self): there is no place for the \(what): \(error)")
        default:
            error is CancellationError
                ? .stopped : RunProblem(.unreadable, "\(self): the \(what) can't be read: \(error)")
        }
    }

    private func unchanged(_ known: KnownManifest?) throws(RunProblem) -> ManifestReply {
        guard let known else {
            throw RunProblem(.unreadable, "\(self): the server says that nothing changed without having been asked")
        }
        return ManifestReply(bytes: known.bytes, validator: known.record.validator, isUnchanged: true)
    }

    /// Networks that ask for a login answer every request with a page for people, and with status 200.
    private func refuseHTMLPage(_ bytes: [UInt8], insteadOf due: String) throws(RunProblem) {
        guard case .remote = self, HTMLPage.begins(Array(bytes.prefix(HTMLPage.headBytes))) else { return }
        throw RunProblem(.unreadable, "\(self): \(HTMLPage.found(insteadOf: due))")
    }

    /// What stands for the place in the library's index: it may have secrets in it.
    var recordKey: SHA256Digest {
        switch self {
        case .file(let path): SHA256.digest(of: "file \(absolutePath(path))".utf8)
        case .remote(let url): SHA256.digest(of: url.text.utf8)
        case .standardInput: SHA256.digest(of: "-".utf8)
        }
    }
}
