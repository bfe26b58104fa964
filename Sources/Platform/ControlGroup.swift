import Glibc

/// The control group (cgroup v2) this process is in.
enum ControlGroup {
    /// Its directory; nil where there is no such hierarchy.
    static var ownPath: String? {
        guard let membership = text("/proc/self/cgroup"), let mounts = text("/proc/self/mountinfo") else { return nil }
        return path(membership: membership, mounts: mounts)
    }

    /// - Parameters:
    ///   - membership: `/proc/self/cgroup`; the unified hierarchy's line begins with `0::`.
    ///   - mounts: `/proc/self/mountinfo`; proc(5) describes its fields.
    static func path(membership: String, mounts: String) -> String? {
        guard let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
        let group = line.dropFirst(3)
        for mount in mounts.split(separator: "\n") {
            let fields = mount.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, dash > 4,
                fields[dash + 1] == "cgroup2"
            else { continue }
            // What is mounted may be only a part of the hierarchy.
            let (root, point) = (fields[3], fields[4])
            if root == "/" { return group == "/" ? "\(point)" : "\(point)\(group)" }
            if group == root || group.hasPrefix(root + "/") { return "\(point)\(group.dropFirst(root.count))" }
        }
        return nil
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? OwnedDescriptor.open(path, flags: O_RDONLY).readAll(limitBytes: 1 << 20) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
