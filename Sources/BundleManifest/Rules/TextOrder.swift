/// Lists that are in some order, as most lists of a manifest are: then no two of their texts are alike, and none is the folder of another one,
/// which takes a look at each text and its neighbour, and no memory.
///
/// Two orders are known: that of the bytes, in which `a10` comes before `a9`, and that of numbers without zeros in front, in which a shorter
/// component comes first. Upper and lower case count as equal, so that what is told holds where they do.
struct TextOrder {
    private var mayBeByBytes = true
    private var mayBeByLength = true
    private var previous: String?

    /// Whether the texts are certain to be apart: where they aren't in order nothing is known of them, and neither where they aren't all ASCII.
    static func tellsApart(_ texts: some Sequence<String>) -> Bool {
        var order = TextOrder()
        return texts.allSatisfy { order.holds(with: $0) }
    }

    /// Whether the texts so far are in order.
    private mutating func holds(with text: String) -> Bool {
        defer { previous = text }
        guard let previous else { return Self.isASCII(text) }
        let places = previous.utf8.withContiguousStorageIfAvailable { earlier in
            text.utf8.withContiguousStorageIfAvailable { Self.compare(earlier, $0) }
        }
        guard case let places?? = places else { return false }
        mayBeByBytes = mayBeByBytes && places.isBefore
        mayBeByLength = mayBeByLength && places.isShorterOrBefore
        return (mayBeByBytes || mayBeByLength) && Self.isASCII(text)
    }

    /// Whether `text` may follow `earlier` in each of the orders; in none where one is the other's folder.
    private static func compare(
        _ earlier: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
    ) -> (isBefore: Bool, isShorterOrBefore: Bool) {
        let common = min(earlier.count, text.count)
        var start = 0
        for index in 0..<common {
            let (one, other) = (rank(earlier[index]), rank(text[index]))
            if one != other {
                let (own, others) = (componentEnd(earlier, index) - start, componentEnd(text, index) - start)
                return (one < other, own == others ? one < other : own < others)
            }
            if one == 0 { start = index + 1 }
        }
        let isApart = earlier.count < text.count && text[common] != slash
        return (isApart, isApart)
    }

    private static func componentEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        text[start...].firstIndex(of: slash) ?? text.count
    }

    private static let slash = UInt8(ascii: "/")

    /// A slash comes before all else, so that what is in a folder comes right behind a file that is called so.
    private static func rank(_ byte: UInt8) -> UInt8 {
        byte == slash ? 0 : byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
