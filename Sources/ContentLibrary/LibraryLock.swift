import Glibc
import Platform

/// The right to change a library: one holder at a time, by a kernel lock that no crash leaves behind.
///
/// Held for as long as the object lives. Children that the holder starts don't inherit it. Readers never need it.
package final class LibraryLock: Sendable {
    package enum Attempt: Sendable {
        case held(LibraryLock)
        /// Somebody else has it: the process of that number, as far as known.
        case busy(processID: Int32?)
    }

    private let file: OwnedDescriptor

    private init(file: OwnedDescriptor) { self.file = file }

    deinit {
        // What it says is only for messages.
        try? file.truncate(to: 0)
        file.unlock()
    }

    /// Takes the lock, or says who has it; never waits.
    static func acquire(in internals: Directory) throws(LibraryError) -> Attempt {
        try translating { () throws(SystemError) in
            let file = try internals.open(LibraryLayout.lock, flags: O_RDWR | O_CREAT, mode: LibraryLayout.fileMode)
            // Those who only look write no number, and one that was killed has left its own.
            guard try file.lock(exclusive: true) else { return .busy(processID: holder(in: internals)) }
            // For messages only: a disk that is full takes it from nobody to make room there.
            try? file.truncate(to: 0)
            try? file.write(Array("\(getpid())\n".utf8))
            return .held(LibraryLock(file: file))
        }
    }

    /// Keeps everybody from changing the library while somebody looks, who may be one that can't write; several may do so at once.
    static func acquireForLooking(in internals: Directory) throws(LibraryError) -> Attempt {
        try translating { () throws(SystemError) in
            let file = try internals.open(LibraryLayout.lock, flags: O_RDONLY | O_NONBLOCK)
            guard try file.lock(exclusive: false) else { return .busy(processID: holder(in: internals)) }
            return .held(LibraryLock(file: file))
        }
    }

    /// The process that holds the lock, as far as anybody can tell without touching it: even an attempt to take it, by somebody who only wants
    /// to know, would turn a run away that begins right then.
    /// - Returns: nil where nobody holds it, and where nobody can tell.
    static func holder(in internals: Directory) -> Int32? {
        guard let file = try? internals.open(LibraryLayout.lock, flags: O_RDONLY | O_NONBLOCK),
            let process = recordedProcessID(in: file), let inode = try? file.status().inode,
            let table = try? OwnedDescriptor.open("/proc/locks", flags: O_RDONLY).readAll(limitBytes: 64 << 20)
        else { return nil }
        // `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`. The device isn't compared: some file systems have another one there.
        let isHeld = String(decoding: table, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 5 && fields[1] == "FLOCK" && fields[3] == "WRITE" && fields[4] == "\(process)"
                && fields[5].hasSuffix(":\(inode)")
        }
        return isHeld ? process : nil
    }

    /// What the holder wrote; it may be about to.
    private static func recordedProcessID(in file: OwnedDescriptor) -> Int32? {
        guard let bytes = try? file.readAll(limitBytes: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
