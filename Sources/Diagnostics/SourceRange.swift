/// A half-open range of byte offsets in a ``SourceText``. It may be empty: a place between two bytes, such as the end of the text.
package struct SourceRange: Sendable, Hashable {
    package let start: Int
    package let end: Int

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    package init(at offset: Int, length: Int = 0) {
        self.init(start: offset, end: offset + length)
    }
}
