import BundleManifest
import Diagnostics
import Glibc
import Jobs
import Platform

/// Why a command that makes or judges manifests can't do so: what is told, and the exit code.
struct AuthoringProblem: Error {
    let exit: Jobs.ExitCode
    let lines: [String]

    init(_ exit: Jobs.ExitCode, _ line: String) { (self.exit, lines) = (exit, [line]) }

    init(_ exit: Jobs.ExitCode, lines: [String]) { (self.exit, self.lines) = (exit, lines) }

    /// The first errors of a manifest that isn't valid.
    init(invalid decoded: DecodedManifest) {
        let errors = decoded.diagnostics.filter { $0.severity == .error }
        let renderer = DiagnosticTextRenderer(LineIndex(decoded.source), of: errors)
        self.init(.invalidManifest, lines: errors.prefix(10).map(renderer.line))
    }
}

/// Reads a regular file that a user named.
func readFile(_ path: String, limitBytes: Int) throws(AuthoringProblem) -> [UInt8] {
    do throws(SystemError) {
        return try OwnedDescriptor.openRegularFile(path).readAll(limitBytes: limitBytes)
    } catch {
        throw AuthoringProblem(.unreadable, "\(error)")
    }
}

/// Reads a key or a password, which may come through a pipe as well. That everybody can read it is told, and keeps nobody from using it.
func readSecret(_ path: String) throws(AuthoringProblem) -> [UInt8] {
    do throws(SystemError) {
        let file = try OwnedDescriptor.open(path, flags: O_RDONLY)
        let status = try file.status()
        if status.kind == .file, status.mode & 0o004 != 0 {
            Console.writeError(
                "warning: everybody on this machine may read \(file.name): chmod 600 makes it yours alone\n")
        }
        return try file.readAll(limitBytes: 4096)
    } catch {
        throw AuthoringProblem(.unreadable, "\(error)")
    }
}
