import BundleManifest
import Diagnostics
import JSONSyntax
import Transfer

/// Compares the sources of one download with each other: with the first that said something.
struct MirrorComparison {
    private let file: SourceFile
    private var size: (bytes: Int64, place: JSONValue)?
    private var date: (text: String, place: JSONValue)?

    init(_ file: SourceFile) { self.file = file }

    mutating func compare(
        _ reply: SourceReply, from url: TransferURL, at place: JSONValue, _ findings: inout OnlineFindings
    ) {
        guard reply.contentCoding == nil else { return }
        compareSize(reply, url, place, &findings)
        // Copies of the same bytes may have any date.
        if file.digest == nil { compareDate(reply, url, place, &findings) }
    }

    private mutating func compareSize(
        _ reply: SourceReply, _ url: TransferURL, _ place: JSONValue, _ findings: inout OnlineFindings
    ) {
        guard let bytes = reply.wholeBytes else { return }
        guard let first = size else {
            size = (bytes, place)
            return
        }
        guard bytes != first.bytes else { return }
        findings.report(
            .mirrorsDiffer, "\(url): the server has \(bytes) bytes, and another source \(first.bytes)", at: place,
            notes: [Diagnostic.Note("it was compared with this one", at: first.place.markedRange)], server: url.origin)
    }

    private mutating func compareDate(
        _ reply: SourceReply, _ url: TransferURL, _ place: JSONValue, _ findings: inout OnlineFindings
    ) {
        guard let text = reply.lastModified else { return }
        guard let first = date else {
            date = (text, place)
            return
        }
        guard text != first.text else { return }
        findings.report(
            .mirrorsMayDiffer,
            "\(url): the file is of \(text.quotedForMessage()), and on another source of \(first.text.quotedForMessage())",
            at: place, notes: [Diagnostic.Note("it was compared with this one", at: first.place.markedRange)],
            hint: "add \"sha256\", so that nobody has to guess", server: url.origin)
    }
}
