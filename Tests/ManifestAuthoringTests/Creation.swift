import ManifestAuthoring
import Platform
import TestSupport

/// A folder that manifests are made of.
struct Creation {
    let folder: TemporaryDirectory
    private let warned = Locked<[String]>([])

    init() throws { folder = try TemporaryDirectory() }

    var warnings: [String] { warned.withLock { $0 } }

    /// - Parameters:
    ///   - didFind: told how many files there are.
    ///   - didRead: called while files are read.
    ///   - shouldStop: asked while files are read.
    func text(
        of paths: [String]? = nil, mirrors: [String] = [], selection: FileSelection = FileSelection(),
        limitBytes: Int64 = .max, didFind: @escaping @Sendable (Int, Int64) -> Void = { _, _ in },
        didRead: @escaping @Sendable () -> Void = {}, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws -> String {
        let sources = try ManifestSources((paths ?? [""]).map { folder[$0] })
        let header = ManifestHeader(id: "m", serial: 1, created: Timestamp(seconds: 0), mirrors: mirrors)
        let observer = CreationObserver(
            shouldStop: shouldStop, didFind: didFind, didRead: { _ in didRead() },
            warn: { [warned] line in warned.withLock { $0.append(line) } })
        let text = try ManifestCreation(sources, selection, header, limitBytes: limitBytes, observer).run()
        var bytes = [UInt8](repeating: 0, count: Int(try text.status().sizeBytes))
        _ = try bytes.withUnsafeMutableBytes { try text.read(into: $0, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lines of bundles, and of files in lists, without their sizes and digests.
    func entries(
        of paths: [String]? = nil, mirrors: [String] = [], selection: FileSelection = FileSelection()
    ) throws -> [String] {
        try text(of: paths, mirrors: mirrors, selection: selection).split(separator: "\n")
            .filter { $0.hasPrefix("    {") || $0.hasPrefix("      {") }
            .map { line in String(line.drop { $0 == " " }.split(separator: ",\"size\"")[0]) }
    }

    /// An entry `a` of no bytes (APPNOTE 4.3.7, 4.3.12, 4.3.16).
    static let zip: [UInt8] = zip(flags: 0)

    static func zip(flags: UInt8) -> [UInt8] {
        let common: [UInt8] = [20, 0, flags, 0] + [UInt8](repeating: 0, count: 18)
        let local = [0x50, 0x4b, 3, 4] + common + [1, 0, 0, 0, 0x61]
        let central = [0x50, 0x4b, 1, 2, 20, 0] + common + [1, 0] + [UInt8](repeating: 0, count: 16) + [0x61]
        let sizes = [UInt8(central.count), 0, 0, 0, UInt8(local.count), 0, 0, 0]
        return local + central + [0x50, 0x4b, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0] + sizes + [0, 0]
    }
}
