import Glibc

/// Sebastiano Vigna's SplitMix64: small, fast, and the same on every machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The seed of this test run: the environment's `LARDER_SEED`, or else a new one. Printed, so that a failure can be replayed.
package enum Seed {
    package static let current: UInt64 = {
        let given = getenv("LARDER_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        let line = "Random tests run with LARDER_SEED=\(seed)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return seed
    }()

    /// A generator of its own for each purpose, so that the order of tests doesn't matter.
    package static func generator(for purpose: String) -> SplitMix64 {
        // FNV-1a
        let hash = purpose.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return SplitMix64(seed: current ^ hash)
    }
}

/// Bytes that are the same for the same seed, on every machine.
package func deterministicBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        for offset in stride(from: 0, to: count, by: 8) {
            withUnsafeBytes(of: generator.next().littleEndian) { word in
                let length = min(8, count - offset)
                bytes[offset..<offset + length].copyBytes(from: word[..<length])
            }
        }
        initialized = count
    }
}
