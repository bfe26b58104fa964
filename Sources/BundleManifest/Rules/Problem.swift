/// What a rule about one piece of text found; the decoder knows the place.
struct Problem: Error {
    let rule: ManifestRule
    let message: String
    var hint: String?

    init(_ rule: ManifestRule, _ message: String, hint: String? = nil) {
        self.rule = rule
        self.message = message
        self.hint = hint
    }
}
