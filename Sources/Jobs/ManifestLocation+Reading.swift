import Downloads
import Glibc
import Platform
import Transfer

extension ManifestLocation {
    /// A manifest of a million segments is half of this; more is nothing we would want in memory.
    private static let limitBytes = 256 << 20

    /// Reads the text of the manifest, and judges nothing.
    /// - Parameter downloader: asked for only where something has to be fetched.
    /// - Throws: `RunProblem` with 66 when it can't be read.
    func read(_ downloader: @autoclosure () -> Downloader, _ redirects: RedirectPolicy) async throws(RunProblem)
        -> [UInt8]
    {
        let limitBytes = Self.limitBytes
        do {
            switch self {
            case .file(let path):
                return try await readAbandonably { () throws(SystemError) in
                    try OwnedDescriptor.open(path, flags: O_RDONLY).readAll(limitBytes: limitBytes)
                }
            case .standardInput:
                return try await readAbandonably { () throws(SystemError) in
                    // Ours for the moment only: the descriptor itself stays open.
                    let copy = OwnedDescriptor(adopting: dup(STDIN_FILENO), name: "standard input")
                    return try copy.readAll(limitBytes: limitBytes)
                }
            case .remote(let url):
                var request = DownloadRequest(url)
                request.budgetBytes = Int64(limitBytes)
                request.priority = .max
                request.redirects = redirects
                let file = try await downloader().download(request)
                return try file.bytes(limitBytes: limitBytes)
            }
        } catch let error as DownloadError where error.code == .cancelled {
            throw .stopped
        } catch is CancellationError {
            throw .stopped
        } catch let error as DownloadError where error.code == .noSpace {
            throw RunProblem(.noSpace, "\(self): there is no room for the manifest: \(error)")
        } catch {
            throw RunProblem(.unreadable, "\(self): the manifest can't be read: \(error)")
        }
    }
}
