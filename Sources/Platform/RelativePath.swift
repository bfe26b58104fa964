/// A path beneath some directory: bytes, as the kernel takes them, known not to lead out of it lexically.
///
/// Never empty; no NUL; not absolute; no component that is empty, `.` or `..`; a component is at most 255 bytes long, the whole 4,095.
package struct RelativePath: Hashable, Sendable, CustomStringConvertible {
    /// The path without a terminating NUL; components are separated by single slashes.
    package let bytes: [UInt8]

    package static let maximumBytes = 4095
    package static let maximumComponentBytes = 255

    /// Checks `bytes`; nothing is repaired.
    package init(_ bytes: [UInt8]) throws(PathProblem) {
        if let problem = PathProblem.first(in: bytes) { throw problem }
        self.bytes = bytes
    }

    package init(_ text: String) throws(PathProblem) { try self.init(Array(text.utf8)) }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// One that was checked already, out of a list that keeps bytes alone.
    package init(checked bytes: ArraySlice<UInt8>) {
        assert(PathProblem.first(in: Array(bytes)) == nil)
        self.bytes = Array(bytes)
    }

    /// The components, outermost first; never empty.
    package var components: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

    /// The last component.
    package var name: RelativePath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return RelativePath(unchecked: Array(bytes[(slash + 1)...]))
    }

    /// Everything before the last component; nil for a single one.
    package var parent: RelativePath? {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return RelativePath(unchecked: Array(bytes[..<slash]))
    }

    /// This path with `other` beneath it.
    package func appending(_ other: RelativePath) throws(PathProblem) -> RelativePath {
        let joined = bytes + [UInt8(ascii: "/")] + other.bytes
        guard joined.count <= Self.maximumBytes else { throw .tooLong }
        return RelativePath(unchecked: joined)
    }

    package func appending(_ text: String) throws(PathProblem) -> RelativePath { try appending(RelativePath(text)) }

    /// The path with unsafe characters escaped: for messages, not for opening.
    package var description: String { escapedText(bytes) }

    /// Calls `body` with the path as a C string.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            buffer[bytes.count] = 0
            // The allocation is never empty, so it has an address.
            return buffer.baseAddress.map { body($0) } ?? body("")
        }
    }
}

extension RelativePath: ExpressibleByStringLiteral {
    /// For paths that stand in our own source; a wrong one is found by the first run of that line.
    package init(stringLiteral text: StaticString) {
        let bytes = text.withUTF8Buffer { Array($0) }
        precondition(PathProblem.first(in: bytes) == nil, "\(text) is no relative path")
        self.bytes = bytes
    }
}

/// Why some bytes can't be a path beneath a directory.
package enum PathProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case empty, absolute, containsNUL, emptyComponent, dotComponent, leavesDirectory, componentTooLong, tooLong

    /// The first problem of `bytes`, nil when they are a safe relative path.
    static func first(in bytes: [UInt8]) -> PathProblem? {
        if bytes.isEmpty { return .empty }
        if bytes.count > RelativePath.maximumBytes { return .tooLong }
        if bytes.contains(0) { return .containsNUL }
        if bytes[0] == UInt8(ascii: "/") { return .absolute }
        var start = 0
        while let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) {
            if let problem = first(inComponent: bytes[start..<slash]) { return problem }
            start = slash + 1
        }
        return first(inComponent: bytes[start...])
    }

    private static func first(inComponent component: ArraySlice<UInt8>) -> PathProblem? {
        if component.isEmpty { return .emptyComponent }
        if component.count > RelativePath.maximumComponentBytes { return .componentTooLong }
        guard component.count <= 2, component.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return nil }
        return component.count == 1 ? .dotComponent : .leavesDirectory
    }

    package var description: String {
        switch self {
        case .empty: "the path is empty"
        case .absolute: "the path is absolute"
        case .containsNUL: "the path contains a NUL byte"
        case .emptyComponent: "the path has an empty component"
        case .dotComponent: "the path has a component '.'"
        case .leavesDirectory: "the path leads out of its directory with '..'"
        case .componentTooLong: "a component of the path is longer than \(RelativePath.maximumComponentBytes) bytes"
        case .tooLong: "the path is longer than \(RelativePath.maximumBytes) bytes"
        }
    }
}
