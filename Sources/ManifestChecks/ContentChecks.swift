import Jobs

/// What `validate` does beyond the text of a manifest: asks its sources, opens what is here of them.
package struct ContentChecks: Sendable {
    private let online: OnlineCheck?
    private let deep: DeepCheck?

    /// - Parameters:
    ///   - online: nil: no source is asked.
    ///   - deep: nil: nothing is opened.
    package init(online: OnlineCheck?, deep: DeepCheck?) {
        (self.online, self.deep) = (online, deep)
    }

    /// - Returns: the same with what was found; a manifest with errors has no content that could be told of.
    package func checked(_ validated: ValidatedManifest) async -> ValidatedManifest {
        guard online != nil || deep != nil, let placed = PlacedManifest(validated.decoded) else { return validated }
        let bases = SourceBases(placed.mirrors, readFrom: validated.location)
        var findings = Findings()
        if let deep { findings.append(await deep.findings(in: placed, bases, readFrom: validated.location)) }
        if let online { findings.append(await online.findings(in: placed, bases)) }
        return validated.adding(findings.diagnostics(of: placed.document))
    }

    /// Ends the connections.
    package func end() async { await online?.end() }
}
