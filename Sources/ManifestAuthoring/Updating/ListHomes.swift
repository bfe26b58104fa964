import JSONSyntax
import Platform

/// The bundles of files that new files belong to, by what lies around them and by how their paths follow from their places.
struct ListHomes {
    /// A bundle, and what is called how in it.
    struct Home {
        /// Where the bundle begins in the text.
        let bundle: Int
        /// What the paths of its files are relative to, beneath the folder that URLs are relative to; nil: that one.
        let root: RelativePath?
        /// What stands before them.
        let prefix: [UInt8]

        /// The path in the bundle of a file beneath `root`.
        func path(of file: RelativePath) -> [UInt8] {
            prefix + file.bytes.dropFirst(root.map { $0.bytes.count + 1 } ?? 0)
        }
    }

    /// By the folders that their files lie in: where several bundles have files of a folder, the first in the text.
    private var neighbours: [RelativePath?: Home] = [:]
    /// By their roots; nil where several bundles have one.
    private var roots: [RelativePath?: Home?] = [:]

    /// - Parameters:
    ///   - file: beneath the folder that URLs are relative to.
    ///   - path: what it is called in the bundle.
    mutating func add(_ file: RelativePath, called path: String, inBundleAt bundle: Int) {
        let folder = file.parent
        guard neighbours[folder] == nil, let home = Self.home(of: file, called: path, bundle) else { return }
        neighbours[folder] = home
        if case .some(let known) = roots[home.root] {
            if known?.bundle != bundle { roots[home.root] = .some(nil) }
        } else {
            roots[home.root] = home
        }
    }

    /// The bundle that has files of the same folder, or of one above; or else the only one whose paths begin there.
    func home(of file: RelativePath) -> Home? {
        var folder = file.parent
        while true {
            if let home = neighbours[folder] ?? roots[folder] ?? nil { return home }
            guard let next = folder else { return nil }
            folder = next.parent
        }
    }

    /// Nil where the name in the bundle has nothing to do with the file's own.
    private static func home(of file: RelativePath, called path: String, _ bundle: Int) -> Home? {
        var (places, names) = (file.components, Array(path.utf8).split(separator: UInt8(ascii: "/")))
        let depth = places.count
        while let place = places.last, let name = names.last, isSame(place, name) {
            places.removeLast()
            names.removeLast()
        }
        guard places.count < depth else { return nil }
        let prefix = names.flatMap { $0 + [UInt8(ascii: "/")] }
        let root = places.isEmpty ? nil : try? RelativePath(Array(places.joined(separator: [UInt8(ascii: "/")])))
        return Home(bundle: bundle, root: root, prefix: prefix)
    }

    /// However their letters are composed.
    private static func isSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.elementsEqual(other) || String(decoding: one, as: UTF8.self) == String(decoding: other, as: UTF8.self)
    }
}
