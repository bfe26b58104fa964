/// What the directory is called that an archive is unpacked into by default.
enum ArchiveName {
    private static let doubled = [".tar.gz", ".tar.z"]

    /// The archive's own name without what marks it as an archive; nil where nothing does.
    static func directoryName(for path: String) -> String? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let ending = doubled.first { name.lowercased().hasSuffix($0) }?.count
        let dot = name.lastIndex(of: ".").map { name.distance(from: $0, to: name.endIndex) }
        guard let dropped = ending ?? dot, dropped < name.count else { return nil }
        return String(name.dropLast(dropped))
    }
}
