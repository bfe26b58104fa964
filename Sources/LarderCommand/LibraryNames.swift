import CommandLineParsing
import ContentLibrary

/// Names of a library for shells that complete them. A look at folders, that believes nothing it finds there but names; whatever is wrong with the library, it
/// has none.
enum LibraryNames {
    /// `MANIFEST/BUNDLE`, and the ids that one manifest alone has.
    static let bundles = Completion.names { bundles(in: $0) }

    /// These, and the manifests.
    static let selections = Completion.names { line in
        let published = published(line)
        let ids = Set(published.map(\.manifest.description)).union(unambiguousIDs(published))
        return ids.sorted() + published.map(\.description)
    }

    static let bundleIDs = Completion.names { line in
        Set(published(line).map(\.bundle.description)).sorted()
    }

    static let manifests = Completion.names { line in
        ((try? library(line)?.generations.currentManifests()) ?? []).map(\.description)
    }

    static let generations = Completion.names { line in
        ((try? library(line)?.generations.numbers()) ?? []).map { "\($0.value)" }
    }

    private static func bundles(in line: PartialCommandLine) -> [String] {
        let published = published(line)
        return unambiguousIDs(published).sorted() + published.map(\.description)
    }

    private static func unambiguousIDs(_ bundles: [BundleAddress]) -> [String] {
        Dictionary(grouping: bundles, by: \.bundle).filter { $0.value.count == 1 }.keys.map(\.description)
    }

    /// What readers find now, in order.
    private static func published(_ line: PartialCommandLine) -> [BundleAddress] {
        guard let generations = (try? library(line))?.generations, let manifests = try? generations.currentManifests()
        else { return [] }
        return manifests.flatMap { (try? generations.currentBundles(of: $0)) ?? [] }
    }

    private static func library(_ line: PartialCommandLine) throws -> Library? {
        guard let path = line.text(of: LibraryOption.library), !path.isEmpty else { return nil }
        return try Library.open(withHome(path), for: .reading)
    }

    /// A shell hands on what is typed, before it has put the home folder in the tilde's place.
    private static func withHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = Environment.variables["HOME"] else { return path }
        return home + path.dropFirst()
    }
}
