import JSONSyntax

/// A number of bytes in plain digits; nil for anything else, and for one that no manifest can have.
func decimal(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 20, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
        let value = Int64(text), value <= JSONValue.largestInteger
    else { return nil }
    return value
}
