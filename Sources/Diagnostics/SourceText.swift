/// A text that diagnostics point into: the bytes as they were read and the name people know them by.
///
/// It holds no line table: most texts are fine and never need one. Whoever has to tell a line makes a ``LineIndex`` once.
package struct SourceText: Sendable {
    /// A path, a URL, or `-`.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    package init(name: String, text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }
}
