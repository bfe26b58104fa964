import Platform

/// Why an archive was not unpacked: what kind of trouble, in which archive, at which entry and offset, in one line for people.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of trouble.
    public enum Code: String, Hashable, Sendable {
        /// The structure contradicts its format, or itself.
        case malformed
        /// The structure holds, the content doesn't: a checksum, a length, a cut or broken compressed stream.
        case corrupted
        /// It would write outside its directory, or readers could see different things in it.
        case unsafe
        /// Sound, but made with a feature that is not read: encryption, another compression method, a split archive.
        case unsupported
        /// The policy's `EntrySelection` can't be followed: a pattern is malformed, nothing is selected, or a part without which a selected
        /// entry is nothing is left out.
        case notSelectable
        /// A limit of the `ExtractionPolicy` would be exceeded.
        case limitExceeded
        /// The archive could not be read.
        case unreadable
        /// What was unpacked could not be written.
        case unwritable
        /// The disk, or this user's share of it, is full.
        case noSpace
        /// The caller asked to stop.
        case stopped
    }

    /// The kind of trouble.
    public let code: Code
    /// What is wrong, as a clause without its place.
    public let reason: String
    /// The archive's name; empty until an `Unpacker` has added it. Safe to print.
    public private(set) var archive: String
    /// The entry's name, where it is about one entry. Safe to print.
    public private(set) var entry: String?
    /// Where in the archive, in bytes from its start; for tar within gzip, from the start of the tar.
    public private(set) var offsetBytes: Int64?

    /// Makes an error of an archive that is not named yet.
    /// - Parameters:
    ///   - code: of what kind the trouble is.
    ///   - reason: a clause without the place; must be safe to print.
    ///   - entry: an entry's name, safe to print.
    ///   - offsetBytes: where in the archive.
    public init(_ code: Code, _ reason: String, entry: String? = nil, offsetBytes: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.archive = ""
        self.entry = entry
        self.offsetBytes = offsetBytes
    }

    init(reading error: SystemError) { self.init(.unreadable, error.description) }

    init(writing error: SystemError, entry: String) {
        self.init(error.isNoSpace ? .noSpace : .unwritable, error.description, entry: entry)
    }

    /// The same, with its place filled in where it was not known yet.
    func located(archive: String? = nil, entry: String? = nil, offsetBytes: Int64? = nil) -> ArchiveError {
        var located = self
        if let archive, self.archive.isEmpty { located.archive = archive }
        located.entry = self.entry ?? entry
        located.offsetBytes = self.offsetBytes ?? offsetBytes
        return located
    }

    /// One line: archive, entry and offset as far as they are known, and the reason.
    public var description: String {
        var line = archive.isEmpty ? "" : "\(archive): "
        if let entry { line += "entry '\(entry)'" }
        if let offsetBytes { line += (entry == nil ? "at offset " : " at offset ") + String(offsetBytes) }
        return entry == nil && offsetBytes == nil ? line + reason : line + ": " + reason
    }
}
