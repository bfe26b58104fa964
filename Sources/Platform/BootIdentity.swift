import Glibc

/// Which boot of the machine this is: bytes handed to the kernel survive a killed process, but not a new boot.
package enum BootIdentity {
    /// The kernel's random id of this boot; empty where it can't be read, which equals no other boot.
    package static let current: String = {
        guard
            let file = try? OwnedDescriptor.open("/proc/sys/kernel/random/boot_id", flags: O_RDONLY),
            let bytes = try? file.readAll(limitBytes: 64)
        else { return "" }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }()
}
