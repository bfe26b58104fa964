import Glibc
import TestSupport
import Testing

/// What a running process holds of the machine.
struct Footprint {
    /// The most memory that it had so far. `wait4` would count what it was before it became this program, too: a copy of the tests.
    let peakBytes: Int
    let descriptors: Int

    init(of process: pid_t) throws {
        let status = String(decoding: try readFile("/proc/\(process)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        peakBytes = try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first) << 10
        descriptors = try directoryEntries(FilePathBytes("/proc/\(process)/fd")).count
    }
}
