/// What a list says of all its files.
struct ListFacts {
    var title: String?
    var version: String?
    /// Without the `x-` that they get in a manifest.
    var notes: [ImportedFile.Note] = []
}
