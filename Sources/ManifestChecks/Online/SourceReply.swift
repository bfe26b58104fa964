import Jobs
import Transfer

/// What is kept of a source's reply: there may be as many as a manifest has segments.
struct SourceReply: Sendable {
    let status: Int
    /// The size of the whole file, as far as the reply tells.
    let wholeBytes: Int64?
    let entityTag: String?
    let lastModified: String?
    /// Whether one of the two is good enough to go on with an interrupted download.
    let hasStrongValidator: Bool
    let contentCoding: String?
    /// Whether only the end of the connection ends the body.
    let endsWithConnection: Bool
    let asksToComeBack: Bool
    /// What is wrong with a part (206) that should be the first byte alone.
    let partFault: String?
    /// Whether a page for people comes, and its status says that all is well.
    let isHTMLPage: Bool
    /// Where it came from, if a redirect led there.
    let redirectTarget: TransferURL?

    /// - Parameter start: up to 512 bytes of the body.
    init(_ response: TransferResponse, start: [UInt8] = []) {
        status = response.status
        wholeBytes =
            [206, 416].contains(response.status)
            ? (response.contentRange ?? nil)?.totalBytes : response.contentLengthBytes
        entityTag = response.entityTag
        lastModified = response.lastModified
        hasStrongValidator = response.strongEntityTag != nil || response.strongLastModified != nil
        contentCoding = response.contentCoding
        endsWithConnection = response.framing == .close
        asksToComeBack = response.status == 429 || (response.status == 503 && response.headers["Retry-After"] != nil)
        partFault = response.status == 206 ? response.faultOfFirstByte : nil
        isHTMLPage =
            (200..<300).contains(response.status)
            && (HTMLPage.begins(start) || (response.isLabelledHTML && Self.mayBegin(start)))
        redirectTarget = response.redirectCount > 0 ? response.url : nil
    }

    /// Whether it brings what was asked for. A range of an empty file can't be satisfied.
    var isUsable: Bool { (200..<300).contains(status) || (status == 416 && wholeBytes == 0) }

    /// A label alone may be wrong; with a byte that can't begin a page it is.
    private static func mayBegin(_ start: [UInt8]) -> Bool {
        guard start.count <= 1 else { return false }
        return start.first.map { [UInt8(ascii: "<"), 0xEF, 0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
    }
}

extension TransferResponse {
    fileprivate var isLabelledHTML: Bool {
        let type = (headers["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml")
    }

    fileprivate var faultOfFirstByte: String? {
        guard let range = contentRange else { return "sends a part without saying which (Content-Range)" }
        guard let positions = range?.positions else { return "sends a part with a malformed Content-Range" }
        guard positions == 0...0, contentLengthBytes ?? 1 == 1 else {
            return "sends the bytes \(positions.lowerBound) to \(positions.upperBound)"
        }
        return nil
    }
}
