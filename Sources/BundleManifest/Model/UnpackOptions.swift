/// How an archive is unpacked.
package struct UnpackOptions: Sendable, Equatable {
    package let format: UnpackFormat
    /// Leading path components to drop; entries with no more are left out.
    package let strip: Int
    /// Patterns of what to take, applied to paths as they are after dropping; empty: everything.
    package let include: [String]
    /// Patterns of what to leave out, stronger than `include`.
    package let exclude: [String]
    /// Whether files keep the archive's modification times; true unless given.
    package let preservesTimes: Bool
    package let limits: UnpackLimits
}
