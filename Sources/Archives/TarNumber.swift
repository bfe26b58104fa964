/// Numbers as tar writes them.
enum TarNumber {
    /// Octal digits, or GNU's base 256, which the first bit marks; nil when it is neither or doesn't fit.
    static func read(_ field: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard let first = field.first, first & 0x80 != 0 else { return octal(field) }
        // Two's complement, big endian, with the mark in place of the sign's copy.
        let isNegative = first & 0x40 != 0
        var value: Int64 = isNegative ? -1 : 0
        for (index, byte) in field.enumerated() {
            let digit = index == 0 ? (isNegative ? byte : byte & 0x7f) : byte
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 256)
            if overflow { return nil }
            value = shifted | Int64(digit)
        }
        return value
    }

    /// Octal digits between spaces, up to a NUL; nothing at all is 0.
    static func octal(_ field: Slice<UnsafeRawBufferPointer>) -> Int64? {
        let text = field.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        var value: Int64 = 0
        for digit in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 8)
            if overflow { return nil }
            value = shifted | Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Decimal digits and nothing else.
    static func decimal(_ text: some Sequence<UInt8>) -> Int64? {
        var value: Int64 = 0
        var isEmpty = true
        for digit in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if tooLarge || overflow { return nil }
            value = sum
            isEmpty = false
        }
        return isEmpty ? nil : value
    }
}
