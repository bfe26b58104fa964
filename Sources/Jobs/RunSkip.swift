/// Why a run isn't begun, or ends before it has received anything, though nothing is wrong.
struct RunSkip: Sendable {
    /// As metrics call it.
    enum Reason: String, CaseIterable, Sendable {
        case window, conditions
        /// Another run holds the library.
        case lock
        /// This month's bytes are spent.
        case monthCap = "month_cap"
    }

    let reason: Reason
    /// For people.
    let text: String

    init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
