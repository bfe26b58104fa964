import ManifestAuthoring
import Platform
import TestSupport

/// Lists that a manifest is made of.
struct Importing {
    let folder: TemporaryDirectory
    private let warned = Locked<[String]>([])

    init() throws { folder = try TemporaryDirectory() }

    /// Each begins with the list's name and the line.
    var warnings: [String] { warned.withLock { $0.map(shortened) } }

    func text(of paths: [String], format: ListFormat? = nil, mirrors: [String] = []) throws -> String {
        let sources = try ImportSources(paths.map { folder[$0] })
        let header = ManifestHeader(id: "m", serial: 1, created: Timestamp(seconds: 0), mirrors: mirrors)
        let observer = ImportObserver(
            shouldStop: { false }, didList: { _ in }, didRead: { _ in }, didHash: {},
            warn: { [warned] line in warned.withLock { $0.append(line) } })
        var options = ManifestImport.Options()
        options.format = format
        let text = try ManifestImport(sources, header, options, observer).run()
        var bytes = [UInt8](repeating: 0, count: Int(try text.status().sizeBytes))
        _ = try bytes.withUnsafeMutableBytes { try text.read(into: $0, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lines of the bundle's files.
    func entries(
        of list: some Sequence<UInt8>, format: ListFormat? = nil, mirrors: [String] = []
    ) throws -> [String] {
        try folder.write(Array(list), to: "list")
        return try entries(of: ["list"], format: format, mirrors: mirrors)
    }

    func entries(of paths: [String], format: ListFormat? = nil, mirrors: [String] = []) throws -> [String] {
        try text(of: paths, format: format, mirrors: mirrors).split(separator: "\n")
            .filter { $0.hasPrefix("      {") }
            .map { line in String(line.drop { $0 == " " }.trimmingSuffix(while: { $0 == "," })) }
    }

    /// Why no manifest is made of a list: all lines.
    func refusal(of list: some Sequence<UInt8>, format: ListFormat? = nil, mirrors: [String] = []) throws -> String? {
        try folder.write(Array(list), to: "list")
        return try refusal(of: ["list"], format: format, mirrors: mirrors)
    }

    func refusal(of paths: [String], format: ListFormat? = nil, mirrors: [String] = []) throws -> String? {
        do {
            _ = try text(of: paths, format: format, mirrors: mirrors)
            return nil
        } catch let problem as ImportProblem {
            switch problem {
            case .invalid(let line): return shortened(line)
            case .refused(let lines, _): return lines.map(shortened).joined(separator: "\n")
            default: return "\(problem)"
            }
        }
    }

    private func shortened(_ line: String) -> String { String(line.trimmingPrefix(folder.path + "/")) }
}

extension Substring {
    fileprivate func trimmingSuffix(while isUnwanted: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isUnwanted(last) { rest.removeLast() }
        return rest
    }
}
