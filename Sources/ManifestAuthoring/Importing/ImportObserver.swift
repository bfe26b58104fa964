/// What is asked and told while lists are imported; some of it by several threads at once.
package struct ImportObserver: Sendable {
    /// Asked again and again.
    package var shouldStop: @Sendable () -> Bool
    /// So many more files are listed.
    package var didList: @Sendable (_ files: Int) -> Void
    /// So many more bytes of a file have been fetched or read.
    package var didRead: @Sendable (_ bytes: Int64) -> Void
    /// One more file has been hashed.
    package var didHash: @Sendable () -> Void
    /// Something was left out, or isn't as one would wish, in a line.
    package var warn: @Sendable (String) -> Void

    package init(
        shouldStop: @escaping @Sendable () -> Bool, didList: @escaping @Sendable (Int) -> Void,
        didRead: @escaping @Sendable (Int64) -> Void, didHash: @escaping @Sendable () -> Void,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.shouldStop = shouldStop
        self.didList = didList
        self.didRead = didRead
        self.didHash = didHash
        self.warn = warn
    }
}
