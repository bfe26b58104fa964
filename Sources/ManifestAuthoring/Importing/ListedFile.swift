import Platform

/// A file as a list names it; nothing of that has been judged.
struct ListedFile {
    /// The line of the list that it begins in.
    var line: Int
    /// Nil: what its first URL calls it.
    var name: String?
    /// What stands before the name that a URL gives: nothing, or folders, each with a slash.
    var folder: String?
    /// What it is called when its URL names no file either.
    var fallbackName: String?
    /// In order of preference.
    var urls: [String] = []
    /// In a folder that belongs to the list.
    var local: LocalFile?
    /// In decimal digits, as far as the list is right.
    var size: String?
    /// By what the list calls the algorithm.
    var digests: [(algorithm: String, hex: String)] = []
    /// What else the list says.
    var notes: [(key: String, value: String)] = []

    init(line: Int) { self.line = line }
}
