import Diagnostics

/// What may be the path of a file in a bundle: relative, `/` between components, none of them empty, `.` or `..`.
package enum PathRules {
    /// Linux takes 4,095 bytes; the rest is for the library's own path and the folders that lead to the bundle.
    static let longestPathBytes = 3840
    static let longestComponentBytes = 255
    /// As many as an archive's entries may have by default.
    package static let mostComponents = 512

    package static func check(path: String) throws(Problem) {
        let bytes = path.utf8
        guard let first = bytes.first else { throw Problem(.emptyPath, "a path can't be empty") }
        guard bytes.count <= longestPathBytes else {
            throw Problem(.pathTooLong, "the path has \(bytes.count) bytes, more than \(longestPathBytes)")
        }
        guard first != UInt8(ascii: "/") else {
            throw Problem(
                .absolutePath, "the path \(path.quotedForMessage()) is absolute",
                hint: "paths are relative to the bundle")
        }
        if let bad = bytes.first(where: isRefused) {
            let character = String(Unicode.Scalar(bad))
            throw Problem(
                .badCharacter, "the path \(path.quotedForMessage()) has \(character.quotedForMessage()) in it",
                hint: character == "\\"
                    ? "folders are separated by /"
                    : "folders are separated by /; in JSON a backslash and a letter make a control character")
        }
        var rest = bytes[...]
        var count = 1
        while true {
            let component = rest.prefix { $0 != UInt8(ascii: "/") }
            try check(component, of: path)
            guard component.endIndex < rest.endIndex else { break }
            rest = rest[rest.index(after: component.endIndex)...]
            count += 1
        }
        guard count <= mostComponents else {
            throw Problem(
                .pathTooDeep,
                "the path \(path.quotedForMessage()) has \(count) components, more than \(mostComponents)")
        }
    }

    /// A single component.
    static func check(filename: String) throws(Problem) {
        guard !filename.utf8.contains(UInt8(ascii: "/")) else {
            throw Problem(
                .notAName, "\(filename.quotedForMessage()) is a path, not a file name", hint: "leave out the folder")
        }
        try check(path: filename)
    }

    private static func check(_ component: Substring.UTF8View, of path: String) throws(Problem) {
        guard component.count <= longestComponentBytes else {
            throw Problem(
                .componentTooLong,
                "a component of the path \(path.quotedForMessage()) has \(component.count) bytes, more than \(longestComponentBytes)"
            )
        }
        if component.count <= 2, component.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            let what = component.isEmpty ? "an empty component" : "the component \(String(component) ?? "")"
            throw Problem(
                .badComponent, "the path \(path.quotedForMessage()) has \(what)",
                hint: "a path begins in the bundle's folder, and names every folder on its way")
        }
    }

    /// Only ASCII is ever refused, so bytes are enough to look at.
    private static func isRefused(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte < 0x20 || byte == 0x7F
    }
}
