import Glibc

/// The groups of a user who may be another one than whoever runs the program.
enum UserGroups {
    /// Their own one first; none of a user who isn't known here.
    static func groups(of id: uid_t) -> [gid_t] {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, let found, let name = found.pointee.pw_name
        else { return [] }
        // It tells how many there are where that is more.
        var count: Int32 = 64
        while true {
            let room = count
            var groups = [gid_t](repeating: 0, count: Int(room))
            if getgrouplist(name, found.pointee.pw_gid, &groups, &count) >= 0 {
                return Array(groups.prefix(Int(count)))
            }
            guard count > room else { return [found.pointee.pw_gid] }
        }
    }
}
