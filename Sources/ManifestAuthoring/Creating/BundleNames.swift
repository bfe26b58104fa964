/// Ids for bundles, made from the names of files: `[a-z0-9][a-z0-9._-]{0,63}`, each once.
package struct BundleNames {
    private var taken: Set<String> = []
    /// The last number that was put behind a name.
    private var numbers: [String: Int] = [:]

    private static let longestBytes = 64

    /// - Parameter taken: ids that others have already.
    init(taken: Set<String> = []) { self.taken = taken }

    /// The next id for something called `name`; with a number behind it where others have the name already.
    mutating func next(for name: [UInt8]) -> String {
        let slug = Self.slug(name)
        var id = slug
        while !taken.insert(id).inserted {
            let number = (numbers[slug] ?? 1) + 1
            numbers[slug] = number
            let suffix = "-\(number)"
            id = String(decoding: slug.utf8.prefix(Self.longestBytes - suffix.utf8.count), as: UTF8.self) + suffix
        }
        return id
    }

    /// What a name is as an id: ASCII in lower case, one `-` for anything else.
    package static func slug(_ name: [UInt8]) -> String {
        var slug: [UInt8] = []
        for byte in name where slug.count < longestBytes {
            let lower = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            switch lower {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): slug.append(lower)
            // Nothing else may come first.
            case _ where slug.isEmpty: continue
            case UInt8(ascii: "."), UInt8(ascii: "_"): slug.append(lower)
            case _ where slug.last != UInt8(ascii: "-"): slug.append(UInt8(ascii: "-"))
            default: continue
            }
        }
        while let last = slug.last, last == UInt8(ascii: "-") || last == UInt8(ascii: ".") { slug.removeLast() }
        return slug.isEmpty ? "bundle" : String(decoding: slug, as: UTF8.self)
    }
}
