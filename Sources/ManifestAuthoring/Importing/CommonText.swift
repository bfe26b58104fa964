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
