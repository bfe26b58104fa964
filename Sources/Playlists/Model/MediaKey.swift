/// How segments are encrypted, as one `EXT-X-KEY` says (RFC 8216 §4.3.2.4). `METHOD=NONE` is the absence of any.
package struct MediaKey: Hashable, Sendable {
    package enum Method: Hashable, Sendable {
        case aes128
        /// `SAMPLE-AES` and whatever else there is.
        case other(String)

        package var name: String {
            switch self {
            case .aes128: "AES-128"
            case .other(let name): name
            }
        }
    }

    package var method: Method
    package var uri: String
    /// Nil: it follows from each segment's sequence number.
    package var initializationVector: InitializationVector?
    /// `identity`: the resource is the key itself.
    package var format: String
    package var formatVersions: String?

    package static let identityFormat = "identity"

    package init(
        method: Method, uri: String, initializationVector: InitializationVector? = nil,
        format: String = identityFormat, formatVersions: String? = nil
    ) {
        self.method = method
        self.uri = uri
        self.initializationVector = initializationVector
        self.format = format
        self.formatVersions = formatVersions
    }

    /// Whether anybody who has the resource can decrypt.
    package var isUsable: Bool { method == .aes128 && format == Self.identityFormat }
}

/// The 128 bits that the first block of a segment is mixed with.
package struct InitializationVector: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// The one of a segment whose key names none (RFC 8216 §5.2).
    package init(sequenceNumber: UInt64) {
        high = 0
        low = sequenceNumber
    }

    /// Reads up to 32 hexadecimal digits, without a prefix; fewer stand for the low bits.
    package init?(hexDigits: some Collection<UInt8>) {
        guard !hexDigits.isEmpty, hexDigits.count <= 32 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for digit in hexDigits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
        }
        self.high = high
        self.low = low
    }

    /// The 16 bytes, in the order in which a cipher takes them.
    package var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// As an attribute's value: `0x` and 32 digits.
    package var description: String {
        "0x"
            + [high, low].map { word in
                let digits = String(word, radix: 16)
                return String(repeating: "0", count: 16 - digits.utf8.count) + digits
            }.joined()
    }
}
