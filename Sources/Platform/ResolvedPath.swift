import Glibc

/// Where a path leads, behind links and without `.` and `..`; of what isn't there yet, where it would be made. Equal where the bytes are, as it is
/// for the kernel: texts are equal that merely look the same.
package struct ResolvedPath: Hashable, Sendable {
    /// Empty for `/`; else each name behind a slash.
    package let bytes: [UInt8]

    private static let slash = UInt8(ascii: "/")

    package init(_ path: String) {
        var known = Array(absolutePath(path).utf8)[...]
        var missing: [ArraySlice<UInt8>] = []
        var folder: [UInt8] = []
        while !known.isEmpty {
            if let resolved = realpath(known.map { CChar(bitPattern: $0) } + [0], nil) {
                defer { free(resolved) }
                folder = Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
                break
            }
            let start = known.lastIndex(of: Self.slash).map { $0 + 1 } ?? known.startIndex
            missing.append(known[start...])
            known = known[..<max(start - 1, known.startIndex)]
        }
        var names = folder.split(separator: Self.slash)
        for name in missing.reversed() where !name.isEmpty && !name.elementsEqual(".".utf8) {
            if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
        bytes = names.flatMap { [Self.slash] + $0 }
    }

    private init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The path, for opening.
    package var text: String { bytes.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self) }

    /// The folder it lies in; nil for `/`.
    package var parent: ResolvedPath? {
        bytes.lastIndex(of: Self.slash).map { ResolvedPath(bytes: bytes[..<$0]) }
    }

    package func isAtOrBeneath(_ folder: ResolvedPath) -> Bool {
        self == folder || bytes.starts(with: folder.bytes + [Self.slash])
    }
}
