import Diagnostics
import Platform

/// A list of a bag's files, a line each: some fields without white space in them, and then a path.
final class BagList {
    struct Entry {
        let fields: [String]
        let path: RelativePath
        let line: Int
        /// `bag/fetch.txt:3`
        let place: String
    }

    private let input: ListInput
    private let fieldCount: Int
    private let decodesPercent: Bool

    /// - Parameters:
    ///   - fields: how many there are, the path among them.
    ///   - decodingPercent: whether percent signs are encoded as well, and not only line ends.
    init(_ input: ListInput, fields: Int, decodingPercent: Bool) {
        self.input = input
        fieldCount = fields
        decodesPercent = decodingPercent
    }

    var name: String { input.name }

    /// Nil behind the last.
    func next() throws(ImportProblem) -> Entry? {
        while let line = try input.nextLine() {
            guard !line.trimmed.isEmpty else { continue }
            let place = input.place(input.lineNumber)
            let isBlank = { (character: Character) in character == " " || character == "\t" }
            let parts = line.split(maxSplits: fieldCount - 1, whereSeparator: isBlank)
            guard parts.count == fieldCount else {
                throw .invalid("\(place): the line hasn't \(fieldCount) fields, of which the last is a path")
            }
            // Of several blanks `split` leaves those before the last part to it.
            let written = parts[fieldCount - 1].drop(while: isBlank)
            return Entry(
                fields: parts.dropLast().map(String.init), path: try path(written, place), line: input.lineNumber,
                place: place)
        }
        return nil
    }

    private func path(_ written: Substring, _ place: String) throws(ImportProblem) -> RelativePath {
        var bytes = decoded(Array(written.utf8))
        // md5sum and its like mark binary files so, and older bags have the mark (BagIt 0.97 §2.1.3).
        if !decodesPercent, bytes.first == UInt8(ascii: "*") { bytes.removeFirst() }
        while bytes.starts(with: "./".utf8) { bytes.removeFirst(2) }
        do throws(PathProblem) { return try RelativePath(bytes) } catch {
            throw .invalid("\(place): \(String(written).quotedForMessage()): \(error)")
        }
    }

    /// Line ends, and from version 1.0 on percent signs, are percent-encoded, and nothing else is.
    private func decoded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let code = String(decoding: rest.prefix(2), as: UTF8.self).uppercased()
            switch (byte, code) {
            case (UInt8(ascii: "%"), "0A"): result.append(0x0A)
            case (UInt8(ascii: "%"), "0D"): result.append(0x0D)
            case (UInt8(ascii: "%"), "25") where decodesPercent: result.append(byte)
            default:
                result.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
        }
        return result
    }
}
