import Platform

/// What a manifest says beside its bundles.
package struct ManifestHeader: Sendable {
    package let id: String
    package let serial: Int
    package let created: Timestamp
    package let mirrors: [String]

    package init(id: String, serial: Int, created: Timestamp, mirrors: [String]) {
        self.id = id
        self.serial = serial
        self.created = created
        self.mirrors = mirrors
    }
}
