import Platform

/// The name of a manifest or a bundle, as ``LibraryName`` takes it. Safe as a file name.
package struct BundleID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        var text = text
        guard text.withUTF8(LibraryName.accepts) else { return nil }
        self.text = text
    }

    package var description: String { text }
}
