import JSONSyntax

/// What is kept of a bundle for the rules that look at all of them.
struct DecodedBundle: Sendable {
    let place: JSONValue
    let id: BundleID?
    let after: [Located<BundleID>]
}
