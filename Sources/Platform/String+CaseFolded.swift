extension String {
    /// Equal for names that file systems which fold case take for the same: `String` itself compares canonical equivalents as equal.
    package var caseFolded: String { uppercased().lowercased() }
}
