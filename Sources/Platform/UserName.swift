import Glibc

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
