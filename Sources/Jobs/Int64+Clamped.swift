extension Int64 {
    /// The sum of two counts, or the largest there is where that would be more.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
