import Glibc

/// What a file is called until it takes another one's place: `.NAME.RANDOM`, with 16 hexadecimal digits.
extension Directory {
    /// Such a name in the directory of `path` that nobody else uses, its `NAME` cut so that it always fits. Random rather than counted: what a
    /// killed process of the same number left behind is never in the way.
    package func temporarySibling(of path: RelativePath) throws(SystemError) -> RelativePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let suffix = String(repeating: "0", count: randomDigits - digits.utf8.count) + digits
        do {
            let name = try RelativePath(beginning(of: path.name) + Array(suffix.utf8))
            return try path.parent?.appending(name) ?? name
        } catch {
            throw SystemError(code: ENAMETOOLONG, operation: "create a temporary file beside", subject: subject(path))
        }
    }

    /// Those of its names that `temporarySibling` may have made for `name`: what killed processes left behind.
    package func temporarySiblings(of name: RelativePath) throws(SystemError) -> [RelativePath] {
        let beginning = beginning(of: name)
        return try names().filter { other in
            other.bytes.count == beginning.count + randomDigits && other.bytes.starts(with: beginning)
                && other.bytes.suffix(randomDigits).allSatisfy("0123456789abcdef".utf8.contains)
        }
    }

    /// The same of all names that end with one of these, none of which was too long.
    package func temporarySiblings(ofNamesEnding endings: [String]) throws(SystemError) -> [RelativePath] {
        try names().filter { other in
            let stem = other.bytes.dropLast(randomDigits)
            return other.bytes.suffix(randomDigits).allSatisfy("0123456789abcdef".utf8.contains)
                && stem.first == UInt8(ascii: ".")
                && endings.contains { stem.reversed().starts(with: "\($0).".utf8.reversed()) }
        }
    }

    /// `.NAME.`, the name cut where it is too long, and not within a character: file systems that know what is UTF-8 take nothing else.
    private func beginning(of name: RelativePath) -> [UInt8] {
        let room = RelativePath.maximumComponentBytes - 2 - randomDigits
        var end = min(room, name.bytes.count)
        func isWithinCharacter(_ end: Int) -> Bool { end < name.bytes.count && name.bytes[end] & 0xC0 == 0x80 }
        while isWithinCharacter(end), end > room - 3 { end -= 1 }
        let dot = UInt8(ascii: ".")
        return [dot] + name.bytes[..<end] + [dot]
    }
}

private let randomDigits = 16
