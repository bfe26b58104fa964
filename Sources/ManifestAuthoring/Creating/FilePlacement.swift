import Platform

/// What becomes of a file in a manifest.
enum FilePlacement {
    /// A bundle of its own, called after `name`.
    case bundle(name: [UInt8], kind: String)
    /// One of the files that stand for themselves.
    case listed

    /// Names of playlists that say nothing of what they play.
    private static let plainPlaylists: Set<String> = ["index", "main", "manifest", "master", "playlist", "stream"]

    /// - Throws: `refusedNames` for a name that no list takes.
    init(of item: InspectionItem, _ facts: FileFacts) throws(CreationProblem) {
        if case .presentation = item.role {
            self = .bundle(name: Self.presentationName(item), kind: "hls")
        } else if let form = facts.form {
            let stem = FileForm.promised(by: item.path.name)?.stem ?? item.path.name.bytes
            self = .bundle(name: stem, kind: form.kind)
        } else if let why = NameCheck.objection(to: item.path) {
            // An archive by its name alone, and so nobody objected before.
            throw .refusedNames(["\(item.folder.shown(item.path)): \(why)"], count: 1)
        } else {
            self = .listed
        }
    }

    private static func presentationName(_ item: InspectionItem) -> [UInt8] {
        let name = item.path.name.bytes
        let stem = Array(name[..<(name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex)])
        guard plainPlaylists.contains(String(decoding: stem, as: UTF8.self).lowercased()) else { return stem }
        return item.path.parent?.name.bytes ?? item.folder.name.bytes
    }
}
