/// AES-128 in CBC mode with the padding of PKCS #7, by `openssl`: what segments are encrypted with (RFC 8216 §4.3.2.4).
package enum AESTool {
    package enum Direction: String, Sendable {
        case encrypting = "-e"
        case decrypting = "-d"
    }

    /// - Parameter input: the path of a file.
    package static func run(
        _ direction: Direction, _ input: String, key: [UInt8], vector: [UInt8]
    ) async throws -> [UInt8] {
        let result = try await ChildProcess.run(
            "openssl",
            [
                "enc", direction.rawValue, "-aes-128-cbc", "-K", hexadecimal(key), "-iv", hexadecimal(vector), "-in",
                input,
            ])
        guard result.status == .exited(0), !result.isTruncated else { throw Failed(what: "\(result)") }
        return result.output
    }

    /// The vector of a segment without one of its own: its number.
    package static func vector(ofSegment number: UInt64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    package struct Failed: Error, CustomStringConvertible {
        package let what: String

        package var description: String { "openssl: \(what)" }
    }
}
