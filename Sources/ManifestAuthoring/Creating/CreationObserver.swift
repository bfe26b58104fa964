/// What is asked and told while a manifest is made; some of it by several threads at once.
package struct CreationObserver: Sendable {
    /// Asked again and again.
    package var shouldStop: @Sendable () -> Bool
    /// How many files there are, and bytes in them, as far as is known yet.
    package var didFind: @Sendable (_ files: Int, _ bytes: Int64) -> Void
    /// So many more bytes have been read.
    package var didRead: @Sendable (Int) -> Void
    /// Something that was expected isn't so, in a line.
    package var warn: @Sendable (String) -> Void

    package init(
        shouldStop: @escaping @Sendable () -> Bool, didFind: @escaping @Sendable (Int, Int64) -> Void,
        didRead: @escaping @Sendable (Int) -> Void, warn: @escaping @Sendable (String) -> Void
    ) {
        self.shouldStop = shouldStop
        self.didFind = didFind
        self.didRead = didRead
        self.warn = warn
    }
}
