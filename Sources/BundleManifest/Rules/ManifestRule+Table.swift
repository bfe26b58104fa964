import Diagnostics

/// The table of the rules: all that is told of one is made from its row.
extension ManifestRule {
    typealias Row = (severity: Severity, title: String, explanation: String)

    /// Each family has a file of its own. A test looks at the row of every rule.
    var row: Row {
        guard let row = structureRow ?? pathRow ?? urlRow ?? contentRow ?? comparisonRow else {
            preconditionFailure("\(self) has no row in the table")
        }
        return row
    }
}
