import Glibc

/// The program that runs.
package enum ThisProgram {
    /// The path by which it was called: whoever leads a link to a newer version means that one from then on. Where it can't be told, the path of its
    /// file; where that isn't known either, or its file is gone, what comes nearest to either.
    /// - Parameters:
    ///   - name: its first argument.
    ///   - searchPath: `PATH`.
    package static func path(calledAs name: String, searchPath: String) -> String {
        path(calledAs: name, searchPath: searchPath, link: "/proc/self/exe")
    }

    /// - Parameter link: leads to its file.
    static func path(calledAs name: String, searchPath: String, link: String) -> String {
        let folders = searchPath.split(separator: ":").map { absolutePath(String($0)) }
        let isPath = name.utf8.contains(UInt8(ascii: "/"))
        let candidates = isPath ? [absolutePath(name.withoutDot)] : folders.map { "\($0)/\(name)" }
        let own = identity(of: link)
        if let called = candidates.first(where: { own != nil && identity(of: $0) == own }) { return called }
        let file = target(of: link)
        if identity(of: file) != nil { return file }
        // Its file was replaced by a newer one, which has the same name.
        return candidates.first { access($0, X_OK) == 0 } ?? (isPath ? absolutePath(name.withoutDot) : name)
    }

    private static func target(of link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }

    /// The bytes of arguments that are known as texts, in which what isn't UTF-8 has become something else.
    package static func arguments(standingFor texts: [String]) -> [[UInt8]] {
        var rest = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
            .map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        return texts.reversed().map { text in
            while let argument = rest.popLast() {
                if String(decoding: argument, as: UTF8.self).utf8.elementsEqual(text.utf8) { return argument }
            }
            return Array(text.utf8)
        }.reversed()
    }
}

extension String {
    fileprivate var withoutDot: String { utf8.starts(with: "./".utf8) ? String(dropFirst(2)) : self }
}
