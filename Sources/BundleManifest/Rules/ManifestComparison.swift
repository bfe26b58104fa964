import Diagnostics
import JSONSyntax

/// What a manifest's author forgot since an older version of it.
package struct ManifestComparison {
    private let root: JSONValue
    private let new: Manifest
    private let old: Manifest
    private var findings: [(place: JSONValue, diagnostic: Diagnostic)] = []

    /// - Parameter old: what was published before.
    /// - Returns: in the order of the text; nothing where both are the same, byte by byte, or one of them isn't valid.
    package static func diagnostics(of new: DecodedManifest, since old: DecodedManifest) -> [Diagnostic] {
        guard new.source.bytes != old.source.bytes, let document = new.document, let new = new.manifest,
            let old = old.manifest
        else { return [] }
        var comparison = ManifestComparison(root: document.root, new: new, old: old)
        comparison.compare()
        var paths = JSONPathFinder(document)
        return comparison.findings.sorted { $0.place.range.start < $1.place.range.start }.map { finding in
            var diagnostic = finding.diagnostic
            diagnostic.path = paths.path(to: finding.place)
            return diagnostic
        }
    }

    private init(root: JSONValue, new: Manifest, old: Manifest) {
        (self.root, self.new, self.old) = (root, new, old)
    }

    private mutating func compare() {
        guard new.id == old.id else {
            return report(
                .otherManifest, "the id is \"\(new.id)\", and the older manifest is \"\(old.id)\"", at: root["id"],
                hint: "keep the id, or leave out --against")
        }
        if new.serial <= old.serial {
            report(
                .serialNotRaised,
                "the manifest changed, but its serial \(new.serial) is not above the older one, \(old.serial)",
                at: root["serial"], hint: "make it \(old.serial + 1)")
        }
        if let created = new.created, let before = old.created, created < before {
            report(.createdEarlier, "created is before that of the older manifest", at: root["created"])
        }
        compareBundles()
    }

    private mutating func compareBundles() {
        let before = Dictionary(old.bundles.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let places = Array(root["bundles"]?.elements ?? root.elements)
        for (bundle, place) in zip(new.bundles, places) {
            guard let earlier = before[bundle.id], let version = bundle.version, version == earlier.version,
                bundle.content.contradicts(earlier.content)
            else { continue }
            report(
                .versionReused,
                "the content of \"\(bundle.id)\" changed, but its version is still \(version.quotedForMessage())",
                at: place["version"], hint: "give it another version")
        }
        let ids = Set(new.bundles.map(\.id))
        let dropped = old.bundles.filter { !ids.contains($0.id) }.map { "\"\($0.id)\"" }
        guard !dropped.isEmpty else { return }
        let names = dropped.prefix(6).joined(separator: ", ") + (dropped.count > 6 ? ", …" : "")
        report(
            .bundleDropped, "\(dropped.count) of the older manifest's bundles are gone: \(names)", at: root["bundles"])
    }

    private mutating func report(_ rule: ManifestRule, _ message: String, at place: JSONValue?, hint: String? = nil) {
        let place = place ?? root
        findings.append((place, Diagnostic(rule, message, at: place.markedRange, hint: hint)))
    }
}

extension BundleContent {
    /// Whether two contents can't be the same. Where they are fetched from doesn't matter, and what only one of them tells doesn't either.
    fileprivate func contradicts(_ other: BundleContent) -> Bool {
        let (files, others) = (files, other.files)
        return files.count != others.count
            || zip(files, others).contains { $0.path != $1.path || $0.source.contradicts($1.source) }
    }

    /// In an order that means something: files may come in any.
    private var files: [(path: String, source: SourceFile)] {
        switch self {
        case .archive(let file), .textures(let file), .ebook(let file): [("", file.source)]
        case .hls(let presentation): [("", presentation.playlist)]
        case .segments(let list): list.segments.map { ($0.path, $0.source) }
        case .files(let files): files.map { ($0.path, $0.source) }.sorted { $0.0 < $1.0 }
        }
    }
}

extension SourceFile {
    fileprivate func contradicts(_ other: SourceFile) -> Bool {
        func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            guard let one, let other else { return false }
            return one != other
        }
        return differ(digest, other.digest) || differ(sizeBytes, other.sizeBytes)
    }
}
