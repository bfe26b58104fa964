extension Dictionary {
    /// The same in no more memory than that takes: a dictionary only grows by itself.
    func compacted() -> Self { Dictionary(uniqueKeysWithValues: map { ($0, $1) }) }
}
