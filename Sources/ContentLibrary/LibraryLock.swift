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
            guard try file.lock(exclusive: true) else { return .busy(processID: recordedProcessID(in: file)) }
            try file.truncate(to: 0)
            try file.write(Array("\(getpid())\n".utf8))
            return .held(LibraryLock(file: file))
        }
    }

    /// What the holder wrote; it may be about to.
    private static func recordedProcessID(in file: OwnedDescriptor) -> Int32? {
        guard let bytes = try? file.readAll(limitBytes: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
