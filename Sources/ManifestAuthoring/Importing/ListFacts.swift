/// What a list says of all its files.
struct ListFacts {
    var title: String?
    var version: String?
    /// Without the `x-` that they get in a manifest.
    var notes: [ImportedFile.Note] = []
}

/// What all of many say alike.
struct CommonText {
    private var isKnown = false
    /// Nil where they differ, or one says nothing.
    private(set) var value: String?

    mutating func add(_ text: String?) {
        if isKnown, value != text { value = nil } else { value = text }
        isKnown = true
    }
}
