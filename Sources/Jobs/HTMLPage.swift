/// A page for people, which some networks and servers send in the place of anything else, with status 200.
package enum HTMLPage {
    /// What is told of one.
    /// - Parameter due: what should have come.
    package static func found(insteadOf due: String) -> String {
        "an HTML page came instead of \(due): the network may want a login (a captive portal), or the URL may be wrong"
    }

    /// How much of a beginning is looked at.
    package static let headBytes = 512

    /// Whether a page is what a file of this name should be.
    package static func isDue(for name: String) -> Bool {
        let name = name.lowercased()
        return [".html", ".htm", ".xhtml"].contains(where: name.hasSuffix)
    }

    /// Whether a file that begins like this is such a page. Asked of every segment of a film: byte by byte, as what it looks for is ASCII.
    package static func begins(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        while let first = rest.first {
            if blanks.contains(first) {
                rest = rest.dropFirst()
            } else if rest.starts(with: byteOrderMark) {
                rest = rest.dropFirst(byteOrderMark.count)
            } else {
                break
            }
        }
        return beginnings.contains { beginning in
            rest.starts(with: beginning) { byte, wanted in byte == wanted || (isCapital(byte) && byte | 0x20 == wanted)
            }
        }
    }

    private static let beginnings = ["<!doctype html", "<html"].map { Array($0.utf8) }
    private static let blanks = Array(" \t\r\n\u{0C}".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
}
