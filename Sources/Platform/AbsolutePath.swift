import Glibc

/// The path as it leads to the same place from any working directory; as it is where this one has no name any more.
package func absolutePath(_ path: String) -> String {
    guard path.utf8.first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    let folder = String(cString: directory)
    return folder == "/" ? "/" + path : folder + "/" + path
}
