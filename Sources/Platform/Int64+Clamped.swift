extension Int64 {
    /// The sum of two counts, or the largest there is where that would be more.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Adds a count, up to the largest there is.
    package mutating func addClamped(_ other: Int64) { self = addingClamped(other) }

    /// The product with a count, or the largest there is where that would be more; both are no less than zero.
    package func multipliedClamped(by count: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: count)
        return overflow ? .max : product
    }
}
