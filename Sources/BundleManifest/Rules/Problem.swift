/// What a rule about one piece of text found; the decoder knows the place.
package struct Problem: Error {
    let rule: ManifestRule
    package let message: String
    package var hint: String?

    init(_ rule: ManifestRule, _ message: String, hint: String? = nil) {
        self.rule = rule
        self.message = message
        self.hint = hint
    }
}
