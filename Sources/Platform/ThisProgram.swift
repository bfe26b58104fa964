import Glibc

/// The program that runs.
package enum ThisProgram {
    /// The path by which it was called: whoever leads a link to a newer version means that one from then on. Where it can't be told, the path of its file.
    /// - Parameters:
    ///   - name: its first argument.
    ///   - searchPath: `PATH`.
    package static func path(calledAs name: String, searchPath: String) -> String {
        let folders = searchPath.split(separator: ":").map { absolutePath(String($0)) }
        let candidates = name.contains("/") ? [absolutePath(name.withoutDot)] : folders.map { "\($0)/\(name)" }
        let own = identity(of: "/proc/self/exe")
        return candidates.first { own != nil && identity(of: $0) == own } ?? file
    }

    private static var file: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }
}

extension String {
    fileprivate var withoutDot: String { hasPrefix("./") ? String(dropFirst(2)) : self }
}

/// What a user is called; the number where nobody knows a name.
package func userName(of id: uid_t) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, let found, let name = found.pointee.pw_name else {
        return "\(id)"
    }
    return String(cString: name)
}
