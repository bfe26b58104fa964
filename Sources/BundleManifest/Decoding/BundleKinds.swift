/// Some of the kinds of bundles. A set of bits: one is asked for every member of a manifest.
struct BundleKinds: Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt8 = 0

    static let all = BundleKinds(BundleKind.allCases)
    static let packaged: Self = [.archive, .textures, .ebook]
    static let singleSource: Self = [.archive, .textures, .ebook, .hls]

    init(_ kinds: [BundleKind]) {
        for kind in kinds { bits |= Self.bit(of: kind) }
    }

    init(arrayLiteral kinds: BundleKind...) { self.init(kinds) }

    var isAll: Bool { bits == Self.all.bits }

    func contains(_ kind: BundleKind) -> Bool { bits & Self.bit(of: kind) != 0 }

    private static func bit(of kind: BundleKind) -> UInt8 {
        switch kind {
        case .archive: 1
        case .textures: 2
        case .ebook: 4
        case .hls: 8
        case .segments: 16
        case .files: 32
        }
    }
}
