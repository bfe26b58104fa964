/// A call that changed files, or flushed them, as `Tests/FileCalls/filecalls.c` writes it down.
package enum RecordedCall: Hashable, Sendable {
    package typealias Inode = UInt64

    /// A name in a directory.
    package struct Place: Hashable, Sendable {
        package let directory: Inode
        package let name: FilePathBytes
    }

    case create(Place, Inode, mode: UInt32)
    /// A file that has no name yet.
    case unnamed(Inode, mode: UInt32)
    case makeDirectory(Place, Inode, mode: UInt32)
    case symbolicLink(Place, Inode, target: FilePathBytes)
    case link(Place, Inode)
    case rename(Place, to: Place)
    case exchange(Place, Place)
    case remove(Place)
    case write(Inode, offset: Int, bytes: [UInt8])
    case truncate(Inode, lengthBytes: Int)
    case setMode(Inode, UInt32)
    case setTime(Inode, seconds: Int, nanoseconds: Int)
    /// `nil`: all that was written to the file system.
    case flush(Inode?)

    /// Reads a log. A kill may have cut its last line.
    package static func all(in log: [UInt8]) throws(Unreadable) -> [RecordedCall] {
        var calls: [RecordedCall] = []
        for line in log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            let fields = line.split(separator: UInt8(ascii: " ")).map { $0 }
            guard let call = RecordedCall(Fields(fields)) else {
                throw Unreadable(line: String(decoding: line.prefix(200), as: UTF8.self))
            }
            calls.append(call)
        }
        return calls
    }

    package struct Unreadable: Error { package let line: String }

    private init?(_ fields: Fields) {
        switch fields.text(0) {
        case "create":
            guard let place = fields.place(1), let inode = fields.inode(3), let mode = fields.mode(4) else {
                return nil
            }
            self = .create(place, inode, mode: mode)
        case "unnamed":
            guard let inode = fields.inode(1), let mode = fields.mode(2) else { return nil }
            self = .unnamed(inode, mode: mode)
        case "mkdir":
            guard let place = fields.place(1), let inode = fields.inode(3), let mode = fields.mode(4) else {
                return nil
            }
            self = .makeDirectory(place, inode, mode: mode)
        case "symlink":
            guard let place = fields.place(1), let inode = fields.inode(3), let target = fields.bytes(4) else {
                return nil
            }
            self = .symbolicLink(place, inode, target: FilePathBytes(target))
        case "link":
            guard let place = fields.place(1), let inode = fields.inode(3) else { return nil }
            self = .link(place, inode)
        case "rename", "exchange":
            guard let old = fields.place(1), let new = fields.place(3) else { return nil }
            self = fields.text(0) == "rename" ? .rename(old, to: new) : .exchange(old, new)
        case "unlink":
            guard let place = fields.place(1) else { return nil }
            self = .remove(place)
        case "write":
            guard let inode = fields.inode(1), let offset = fields.number(2), let bytes = fields.bytes(3) else {
                return nil
            }
            self = .write(inode, offset: offset, bytes: bytes)
        case "truncate":
            guard let inode = fields.inode(1), let length = fields.number(2) else { return nil }
            self = .truncate(inode, lengthBytes: length)
        case "mode":
            guard let inode = fields.inode(1), let mode = fields.mode(2) else { return nil }
            self = .setMode(inode, mode)
        case "time":
            guard let inode = fields.inode(1), let seconds = fields.number(2), let nanoseconds = fields.number(3) else {
                return nil
            }
            self = .setTime(inode, seconds: seconds, nanoseconds: nanoseconds)
        case "flush":
            guard let inode = fields.inode(1) else { return nil }
            self = .flush(inode == 0 ? nil : inode)
        default: return nil
        }
    }

    /// The words of a line.
    private struct Fields {
        private let fields: [ArraySlice<UInt8>]

        init(_ fields: [ArraySlice<UInt8>]) { self.fields = fields }

        func text(_ index: Int) -> String { index < fields.count ? String(decoding: fields[index], as: UTF8.self) : "" }
        func number(_ index: Int) -> Int? { Int(text(index)) }
        func inode(_ index: Int) -> Inode? { Inode(text(index)) }
        func mode(_ index: Int) -> UInt32? { UInt32(text(index), radix: 8) }

        func place(_ index: Int) -> Place? {
            guard let directory = inode(index), let name = bytes(index + 1) else { return nil }
            return Place(directory: directory, name: FilePathBytes(name))
        }

        /// In hexadecimal; none where there is no such word.
        func bytes(_ index: Int) -> [UInt8]? {
            guard index < fields.count else { return [] }
            let digits = fields[index]
            guard digits.count.isMultiple(of: 2) else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            var position = digits.startIndex
            while position < digits.endIndex {
                guard let high = value(digits[position]), let low = value(digits[position + 1]) else { return nil }
                bytes.append(high << 4 | low)
                position += 2
            }
            return bytes
        }

        private func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
    }
}
