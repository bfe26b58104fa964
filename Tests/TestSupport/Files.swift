import Glibc

/// All the bytes of a file.
package func readFile(_ path: FilePathBytes) throws(SystemError) -> [UInt8] {
    let file = OwnedDescriptor(try check(path.withCString { open($0, O_RDONLY | O_CLOEXEC) }, "open \(path)"))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while true {
        let count = try check(read(file.number, &buffer, buffer.count), "read \(path)")
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

package func readFile(_ path: String) throws(SystemError) -> [UInt8] { try readFile(FilePathBytes(path)) }

/// Makes or replaces a file.
package func writeFile(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(SystemError) {
    let file = OwnedDescriptor(try check(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode), "open \(path)"))
    // Whatever the umask is.
    try check(fchmod(file.number, mode), "fchmod \(path)")
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
        rest = rest.dropFirst(try check(written, "write \(path)"))
    }
}

/// Lets a file look as if its last byte had been written so long ago.
package func setModified(_ path: String, secondsAgo: Int) throws(SystemError) {
    let modified = timespec(tv_sec: time(nil) - secondsAgo, tv_nsec: 0)
    try check(utimensat(AT_FDCWD, path, [modified, modified], 0), "utimensat \(path)")
}

/// The names in a directory as the kernel has them, in the order of their bytes, without `.` and `..`.
package func directoryEntries(_ path: FilePathBytes) throws(SystemError) -> [FilePathBytes] {
    guard let directory = path.withCString({ opendir($0) }) else { throw SystemError("opendir \(path)") }
    defer { closedir(directory) }
    var names: [FilePathBytes] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: 256) { FilePathBytes(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// Removes a file, or a directory with everything in it, however its permissions are. Follows no link.
package func removeTree(_ path: FilePathBytes) {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
        _ = path.withCString { unlink($0) }
        return
    }
    _ = path.withCString { chmod($0, 0o700) }
    for name in (try? directoryEntries(path)) ?? [] { removeTree(path + "/" + name) }
    _ = path.withCString { rmdir($0) }
}

package func removeTree(_ path: String) { removeTree(FilePathBytes(path)) }
