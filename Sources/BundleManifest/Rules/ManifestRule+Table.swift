import Diagnostics

/// The table of the rules, of which each family has a file of its own.
extension ManifestRule {
    package var row: Row {
        // A test looks at the row of every rule.
        guard let row = structureRow ?? pathRow ?? urlRow ?? contentRow ?? comparisonRow else {
            preconditionFailure("\(self) has no row in the table")
        }
        return row
    }

    /// Errors that sync is sure to fail one bundle for, and that leave the manifest itself one that can be followed: the other bundles are
    /// published, and nobody goes without them for a digit in the digest of one.
    var failsBundleOnly: Bool {
        switch self {
        case .digestWithTwoSizes, .digestOfNothing, .placeholderDigest, .nothingToResolve: true
        default: false
        }
    }
}
