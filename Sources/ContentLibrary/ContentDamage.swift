import Platform

/// Something of stored content that isn't as its receipt says.
package struct ContentDamage: Hashable, Sendable, CustomStringConvertible {
    /// What it is about, in the content; nil: the content as a whole.
    package let path: RelativePath?
    package let problem: Problem

    package enum Problem: Hashable, Sendable {
        case missing
        /// It is there, and the receipt knows nothing of it.
        case foreign
        /// Something else than a file, a link or a directory of that name.
        case wrongKind
        case wrongSize(Int64, expected: Int64)
        case wrongDigest(SHA256Digest, expected: SHA256Digest)
        case wrongMode(UInt32, expected: UInt32)
        case wrongTarget([UInt8])
        /// The system's reason.
        case unreadable(String)
        /// The receipt itself: nothing else can be told.
        case receipt(String)
        /// All bytes are as they were, and a player would stop there.
        case unplayable(String)
    }

    package init(_ path: RelativePath?, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// A word for programs.
    package var code: String {
        switch problem {
        case .missing: "missing"
        case .foreign: "foreign"
        case .wrongKind: "kind"
        case .wrongSize: "size"
        case .wrongDigest: "sha256"
        case .wrongMode: "mode"
        case .wrongTarget: "link"
        case .unreadable: "unreadable"
        case .receipt: "receipt"
        case .unplayable: "playback"
        }
    }

    /// Where and what, in a line.
    package var description: String { path.map { "\($0): \(message)" } ?? message }

    private var message: String {
        switch problem {
        case .missing: path == nil ? "its content is missing" : "it is missing"
        case .foreign: "it doesn't belong here"
        case .wrongKind: "it is something else than what was published"
        case .wrongSize(let size, let expected): "it has \(size) bytes where \(expected) were published"
        case .wrongDigest(let digest, let expected): "its SHA-256 is \(digest) where \(expected) was published"
        case .wrongMode(let mode, let expected):
            "its mode is \(String(mode, radix: 8)) where it was \(String(expected, radix: 8))"
        case .wrongTarget(let target): "it leads to \(escapedText(target)), and not where it did"
        case .unreadable(let reason), .receipt(let reason), .unplayable(let reason): reason
        }
    }
}
