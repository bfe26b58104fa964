/// What the clock of a transport stream shows where it is told first (ISO/IEC 13818-1 §2.4.3.5).
struct ProgramClock: Equatable {
    /// The packets that tell it.
    private let identifier: Int
    /// In ticks of 90 kHz.
    private let base: Int64

    private static let ticksPerSecond: Int64 = 90_000
    /// It begins again after so many.
    private static let period: Int64 = 1 << 33

    /// - Parameter head: whole packets.
    init?(head: [UInt8]) {
        let packets = stride(from: 0, through: head.count - MediaContainer.packetBytes, by: MediaContainer.packetBytes)
        for packet in packets.lazy.map({ head[$0..<$0 + MediaContainer.packetBytes] }) {
            let bytes = Array(packet.prefix(12))
            // An adaptation field that has room for a clock, and says that it has one.
            guard bytes[3] & 0x20 != 0, bytes[4] >= 7, bytes[5] & 0x10 != 0 else { continue }
            identifier = Int(bytes[1] & 0x1f) << 8 | Int(bytes[2])
            base = bytes[6..<10].reduce(0) { $0 << 8 | Int64($1) } << 1 | Int64(bytes[10] >> 7)
            return
        }
        return nil
    }

    /// How much later it is than another; nil where it is another clock. It goes round in a day, and nobody knows which way it went.
    func elapsed(since other: ProgramClock) -> Duration? {
        guard identifier == other.identifier else { return nil }
        let ticks = (base - other.base + Self.period) % Self.period
        let signed = ticks > Self.period / 2 ? ticks - Self.period : ticks
        return .milliseconds(signed * 1000 / Self.ticksPerSecond)
    }
}
