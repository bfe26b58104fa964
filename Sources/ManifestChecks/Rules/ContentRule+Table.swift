import Diagnostics

/// The table of the rules, of which each family has a file of its own.
extension ContentRule {
    package var row: Row {
        // A test looks at the row of every rule.
        guard let row = sourceRow ?? fileRow else { preconditionFailure("\(self) has no row in the table") }
        return row
    }
}
