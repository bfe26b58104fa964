import JSONSyntax
import Platform

/// Writes what is new in a manifest as what stands there is written: bundles behind the last one, files behind the last of their list.
struct NewFiles {
    private let document: JSONDocument
    private let homes: ListHomes
    private var names: BundleNames
    private let urlStart: String
    private let bundleStyle: JSONTextStyle
    /// By where the bundles begin.
    private var listStyles: [Int: JSONTextStyle] = [:]
    /// Files of the folder at hand that no bundle of the manifest is for.
    private var homeless: [String] = []

    /// - Parameters:
    ///   - taken: the ids of the manifest's bundles.
    ///   - urlStart: what the URL of each file begins with.
    init(_ document: JSONDocument, _ homes: ListHomes, taken: Set<String>, urlStart: String) {
        (self.document, self.homes, self.urlStart) = (document, homes, urlStart)
        names = BundleNames(taken: taken)
        bundleStyle = JSONTextStyle(of: document.bundleList.lastElement ?? document.root)
        for bundle in document.listedBundles where bundle.kind == .files {
            guard let last = bundle.list?.lastElement else { continue }
            listStyles[bundle.place.range.start] = JSONTextStyle(of: last)
        }
    }

    mutating func add(
        _ item: InspectionItem, _ facts: FileFacts, to changes: inout ManifestChanges
    ) throws(CreationProblem) {
        let url = urlStart + item.folder.urlPrefix + SourcePath.url(item.path)
        switch try FilePlacement(of: item, facts) {
        case .bundle(let name, let kind):
            let members = [("id", names.next(for: name)), ("kind", kind)].map { ($0, JSONTextStyle.quoted($1)) }
            changes.add(bundle: bundleStyle.object(members + Self.source(url, facts, bundleStyle)), files: 1)
        case .listed:
            let place = item.folder.placed(item.path)
            guard let home = homes.home(of: place), let style = listStyles[home.bundle] else {
                homeless.append(Self.entry(SourcePath.path(item.path), url, facts, bundleStyle.inline))
                return
            }
            let path = SourcePath.composed(home.path(of: place))
            changes.add(Self.entry(path, url, facts, style), toBundleAt: home.bundle)
        }
    }

    /// Makes a bundle of the folder's files that found none.
    mutating func endFolder(_ folder: SourceFolder, manifestID: String, _ changes: inout ManifestChanges) {
        guard !homeless.isEmpty else { return }
        let id = names.next(for: folder.listName(manifestID: manifestID))
        let members = [("id", id), ("kind", "files")].map { ($0, JSONTextStyle.quoted($1)) }
        changes.add(bundle: bundleStyle.object(members + [("files", list(homeless))]), files: homeless.count)
        homeless = []
    }

    /// A line for each, where bundles have lines of their own.
    private func list(_ files: [String]) -> String {
        let memberStart = bundleStyle.lineStart
        guard let start = memberStart ?? ListEdit(document.bundleList).lineStart else {
            return "[" + files.joined(separator: bundleStyle.inline.separator) + "]"
        }
        let inner = start + (start.hasSuffix("\t") ? "\t" : "  ")
        return "[" + inner + files.joined(separator: "," + inner) + start + "]"
    }

    private static func entry(_ path: String, _ url: String, _ facts: FileFacts, _ style: JSONTextStyle) -> String {
        style.object([("path", JSONTextStyle.quoted(path))] + source(url, facts, style))
    }

    private static func source(
        _ url: String, _ facts: FileFacts, _ style: JSONTextStyle
    ) -> [(key: String, value: String)] {
        [
            ("urls", style.urls(url)), ("size", "\(facts.sizeBytes)"),
            ("sha256", JSONTextStyle.quoted(facts.digest.description)),
        ]
    }
}
