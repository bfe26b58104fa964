import Platform

/// The keys of a manifest.
struct ManifestDraft: Draft {
    var id: BundleID?
    var serial = 0
    var created: Timestamp?
    var expires: Located<Timestamp?>?
    var mirrors: [URLReference] = []
    var bundles: [DecodedBundle] = []

    static let table = ObjectTable<ManifestDraft>(
        "a manifest",
        [
            // Checked, and then known.
            Field(
                "format", .formatName, .required,
                about: "Always larder/1: what the text is, and how it is read"
            ) { _, _ in },
            Field(
                "id", .folderName, .required,
                about: "The manifest's name; a folder of the library is called so"
            ) { $0.id = $1 },
            Field(
                "serial", .positive, .required,
                about: "Raised with every change: a library refuses one lower than it has published"
            ) { $0.serial = $1 },
            Field("created", .timestamp, about: "When the manifest was made, in UTC") { $0.created = $1 },
            Field(
                "expires", .located(.orNull(.timestamp)),
                about: "Until when it may be followed, in UTC; null or left out: for ever"
            ) { $0.expires = $1 },
            Field(
                "mirrors", .mirrors,
                about:
                    "What relative URLs are joined to, in order of preference, each with a final slash; none: the place of the manifest itself"
            ) { $0.mirrors = $1 },
            // Each that is known is followed anyway.
            Field(
                "requires", .list(of: .requirement, "features"),
                about: "Features that a reader must know to follow the manifest"
            ) { _, _ in },
            Field(
                "bundles", .list(of: .bundle, "bundles", .object, atLeast: 1), .required,
                about: "What is to be fetched and published"
            ) { $0.bundles = $1 },
        ])
}
