/// Which variants and renditions of an HLS presentation to keep.
package struct Selection: Sendable, Equatable {
    /// Bits a second.
    package var minBandwidth: Int?
    package var maxBandwidth: Int?
    /// The largest picture to take.
    package var resolution: Resolution?
    /// Codecs that can be played (RFC 6381), `avc1`; empty: any.
    package var codecs: [String] = []
    /// The highest frame rate to take.
    package var frameRate: Double?
    /// Languages (BCP 47); empty: the default rendition.
    package var audio: [String] = []
    package var subtitles: [String] = []
    /// Every variant and rendition. Excludes the others.
    package var takesAll = false

    package init() {}
}

/// A picture's size in pixels.
package struct Resolution: Sendable, Equatable {
    package let width: Int
    package let height: Int

    /// Reads `1280x720`.
    package init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Self.pixels(parts[0]), let height = Self.pixels(parts[1]) else {
            return nil
        }
        self.width = width
        self.height = height
    }

    private static func pixels(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(text) else { return nil }
        return (1...65_535).contains(number) ? number : nil
    }
}
