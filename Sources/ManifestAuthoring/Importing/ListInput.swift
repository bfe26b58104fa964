import Glibc
import Platform

/// A list as it is read: in pieces, or line by line, however long it is.
final class ListInput {
    /// What the list is called in messages, safe to print.
    let name: String
    private let file: OwnedDescriptor
    /// Whatever is read is written here as well.
    private let copy: OwnedDescriptor?
    private var copiedBytes = 0
    private let shouldStop: () -> Bool
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 4096)
    /// Was read, and not yet taken.
    private var unread = 0..<0
    private(set) var lineNumber = 0

    static let pieceBytes = 64 << 10
    private static let longestLineBytes = 64 << 10
    /// Several times what a manifest may have: it may also be without end.
    private static let longestCopyBytes = 1 << 30

    /// - Parameter copy: where all of the list goes as it is read, for what can't be read twice; nil: nowhere.
    init(
        _ file: OwnedDescriptor, name: String, copyingTo copy: OwnedDescriptor? = nil, shouldStop: @escaping () -> Bool
    ) {
        self.file = file
        self.name = name
        self.copy = copy
        self.shouldStop = shouldStop
    }

    deinit { piece.deallocate() }

    /// The first bytes, as many as there are but no more than a piece, which stay to be read. To be asked for before anything else.
    func beginning() throws(ImportProblem) -> [UInt8] {
        while unread.count < piece.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: piece[unread.upperBound...])
            let count = try read(into: rest)
            if count == 0 { break }
            unread = 0..<unread.upperBound + count
        }
        return Array(piece[unread])
    }

    /// Hands the next piece to `body`, valid during the call only.
    /// - Returns: false at the end.
    func take(_ body: (UnsafeRawBufferPointer) throws(ImportProblem) -> Void) throws(ImportProblem) -> Bool {
        if unread.isEmpty { unread = 0..<(try read(into: piece)) }
        guard !unread.isEmpty else { return false }
        defer { unread = 0..<0 }
        try body(UnsafeRawBufferPointer(rebasing: piece[unread]))
        return true
    }

    /// The next line without its end (LF or CRLF) and, of the first one, without a byte order mark; nil behind the last.
    /// - Throws: `invalid` for a line that isn't UTF-8, has a NUL or is longer than 64 KiB.
    func nextLine() throws(ImportProblem) -> String? {
        var line: [UInt8] = []
        var isThere = false
        while true {
            if unread.isEmpty { unread = 0..<(try read(into: piece)) }
            guard !unread.isEmpty else { break }
            isThere = true
            let rest = UnsafeRawBufferPointer(rebasing: piece[unread])
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            line += rest[..<(end ?? rest.count)]
            unread = unread.lowerBound + (end.map { $0 + 1 } ?? rest.count)..<unread.upperBound
            guard line.count <= Self.longestLineBytes else {
                throw .invalid("\(place(lineNumber + 1)): the line is longer than \(Self.longestLineBytes >> 10) KiB")
            }
            if end != nil { break }
        }
        guard isThere else { return nil }
        lineNumber += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if lineNumber == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw .invalid("\(place(lineNumber)): the line isn't UTF-8 text")
        }
        return text
    }

    /// `list.txt:12`
    func place(_ line: Int) -> String { "\(name):\(line)" }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportProblem) -> Int {
        guard !shouldStop() else { throw .stopped }
        let count = try ImportProblem.asked { () throws(SystemError) in try file.read(into: buffer) }
        guard let copy, count > 0 else { return count }
        copiedBytes += count
        guard copiedBytes <= Self.longestCopyBytes else {
            throw .invalid(
                "\(name): what comes through a pipe is kept, to be read twice, and has more than \(Self.longestCopyBytes >> 30) GiB: name a file instead"
            )
        }
        try ImportProblem.written { () throws(SystemError) in
            try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return count
    }
}
