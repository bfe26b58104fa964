import Platform

/// An entry's name for messages: unsafe characters escaped, and cut where it is longer than any real name.
func shownName(_ name: some Collection<UInt8>) -> String {
    guard name.count > RelativePath.maximumComponentBytes else { return escapedText(name) }
    var head = Array(name.prefix(200))
    // Not within a character of UTF-8: what is left of one would have the whole name shown as bytes.
    while let last = head.last, last & 0xc0 == 0x80 { head.removeLast() }
    if let last = head.last, last >= 0xc0 { head.removeLast() }
    return escapedText(head) + "…"
}
