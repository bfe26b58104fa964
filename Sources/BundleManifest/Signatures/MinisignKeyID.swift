/// What tells minisign's keys apart: eight random bytes that stand in the key and in every signature by it. No proof of anything.
package struct MinisignKeyID: Hashable, Sendable, CustomStringConvertible {
    /// As they stand in files.
    package let bytes: [UInt8]

    static let lengthBytes = 8

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// As minisign shows it: a number in capital hexadecimal digits, whose lowest byte stands first.
    package var description: String {
        String(bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, radix: 16, uppercase: true)
    }
}
