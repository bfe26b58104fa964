/// A picture's width and height in pixels.
package struct PictureSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether it is no wider and no higher.
    package func fits(in other: PictureSize) -> Bool { width <= other.width && height <= other.height }

    /// Reads `1280x720`, of 1 to 65,535 each.
    package init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Self.pixels(parts[0]), let height = Self.pixels(parts[1]) else {
            return nil
        }
        self.init(width: width, height: height)
    }

    private static func pixels(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(text) else { return nil }
        return (1...65_535).contains(number) ? number : nil
    }
}
