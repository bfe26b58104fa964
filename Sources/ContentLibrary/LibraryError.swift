import Glibc
import Platform

/// Why the library can't do something: a code for programs and one line for people that names the path and the way out.
package struct LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// There is no library at the path.
        case notALibrary
        /// This user may not write there, or the file system is mounted read-only.
        case permissionDenied
        /// The file system lacks something that a library can't do without.
        case unsupportedFileSystem
        /// The disk, or this user's share of it, is full.
        case noSpace
        /// Something on disk isn't what this room writes.
        case damaged
        /// The index, `state.db`, can't be used. Published content is not concerned.
        case indexUnusable
        /// Another run holds the library.
        case busy
        /// The library's path leads to something else than when it was opened.
        case replaced
        /// The library is there, but not what was asked of it.
        case notThere
        /// The library is there, but nothing in it has the name that was given.
        case unknownName
        /// What was named can't be used for this, whatever is done to it.
        case unusablePlace
        /// Any other refusal of the system.
        case system
    }

    package let code: Code
    /// One line, safe to print.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package init(_ error: SystemError) {
        if error.isNoSpace {
            self.init(.noSpace, "\(error); free some space there, the next run carries on")
        } else if [EACCES, EPERM, EROFS].contains(error.code) {
            self.init(.permissionDenied, "\(error); make it writable for this user, or name another library")
        } else if error.code == ELOOP {
            self.init(
                .damaged,
                "can't \(error.operation) \(error.subject): a symbolic link stands there, which is never followed; put back what was there, or remove the link"
            )
        } else {
            self.init(.system, error.description)
        }
    }

    /// Another run, of that process as far as known, holds the library at `path`.
    package static func busy(_ path: String, _ processID: Int32?) -> LibraryError {
        let holder = processID.map { " (process \($0))" } ?? ""
        return LibraryError(
            .busy, "\(escapedText(path)) is in use by another run\(holder); try again when it has ended")
    }

    package var isNoSpace: Bool { code == .noSpace }
    package var description: String { message }
}

/// Runs calls of the layer below; what it throws leaves as an error of the library.
func translating<Result>(_ body: () throws(SystemError) -> Result) throws(LibraryError) -> Result {
    do { return try body() } catch { throw LibraryError(error) }
}
