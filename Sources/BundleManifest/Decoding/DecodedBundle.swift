import JSONSyntax

/// What was read of a bundle, which may be incomplete. Kept for each bundle of a manifest, and so no larger than need be: places that only
/// findings tell are looked up again.
struct DecodedBundle: Sendable {
    let place: JSONValue
    let id: BundleID?
    /// Nil without a kind, or without the list that its kind has.
    let content: BundleContent?
    let after: [Located<BundleID>]
    private let title: String?
    private let version: String?
    private let priority: Int
    private let isRequired: Bool
    private let tags: [String]
    private let headers: [RequestHeader]

    init(_ draft: BundleDraft, at place: JSONValue) {
        self.place = place
        id = draft.id
        content = draft.content
        after = draft.after
        title = draft.title
        version = draft.version
        priority = draft.priority
        isRequired = draft.isRequired
        tags = draft.tags
        headers = draft.headers
    }

    /// Nil when something is missing; that has been reported.
    var bundle: Bundle? {
        guard let id, let content else { return nil }
        return Bundle(
            id: id, title: title, version: version, content: content, priority: priority, isRequired: isRequired,
            after: after.map(\.value), tags: tags, headers: headers)
    }
}
