/// Digest algorithms that lists of files name, the strongest last. The raw value is what IANA's registry of hash function textual names
/// calls them, and RFC 5854 with it.
package enum DigestAlgorithm: String, CaseIterable, Sendable, Comparable {
    case md5
    case sha1 = "sha-1"
    case sha224 = "sha-224"
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// Reads a name as anybody writes it: `SHA256`, `sha-256`.
    package init?(named name: some StringProtocol) {
        let plain = name.lowercased().filter { $0 != "-" }
        guard let known = Self.allCases.first(where: { $0.plainName == plain }) else { return nil }
        self = known
    }

    package static func < (left: Self, right: Self) -> Bool { left.digestBytes < right.digestBytes }

    package var digestBytes: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// `sha256`: as file names and libcrypto have it.
    package var plainName: String { rawValue.filter { $0 != "-" } }
}
