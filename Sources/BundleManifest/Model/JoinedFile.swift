import Platform

/// The one file that a bundle's segments make.
package struct JoinedFile: Sendable, Equatable {
    package let filename: String
    package let digest: SHA256Digest?
}
