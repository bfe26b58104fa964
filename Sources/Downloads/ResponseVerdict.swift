import Platform
import Transfer

/// What a reply's head means for the bytes that are held. This is where it is decided whether a tail may join them.
enum ResponseVerdict {
    /// A 206 that continues exactly what is held.
    case append(totalBytes: Int64?)
    /// The whole asset, from its first byte.
    case fresh(totalBytes: Int64?)
    /// What is held is all there is: a 416 says that nothing lies beyond it, or a 206 brought its last byte.
    case alreadyWhole
    case fail(AttemptFailure)
}

/// What was asked for, as far as the verdict depends on it.
struct ResumePoint {
    /// Bytes held up to the first that is asked for.
    var heldBytes: Int64 = 0
    /// The position behind the last byte that is asked for; nil for all up to the end.
    var endBytes: Int64?
    /// What is known of the version they belong to.
    var record: ResumeData?
    /// Why they may be gone on with.
    var trust = ResumeTrust.none
    /// The length the asset must have, where callers know it.
    var expectedBytes: Int64?
    /// Whether the server was asked to send nothing if nothing has changed.
    var isConditional = false
    /// Whether a digest will tell in the end if the bytes belong together.
    var isProvenByDigest = false
    /// Whom it is asked of, before any redirect.
    var url: TransferURL?

    /// Whether every byte is held, as far as anybody knew.
    var isWhole: Bool { record != nil && heldBytes == record?.totalBytes ?? expectedBytes }

    /// The first byte that is asked for: the one behind what is held, or the last one where that is everything. Whether it still is what the
    /// server has shows there as well, while some servers answer a range that lies behind the end with the whole.
    var offsetBytes: Int64 { isWhole ? max(0, heldBytes - 1) : heldBytes }

    func verdict(on response: TransferResponse) -> ResponseVerdict {
        switch response.status {
        case 206 where offsetBytes > 0: continuation(response)
        case 206:
            .fail(
                AttemptFailure(
                    .invalidResponse, "the server sent a part (206) of what was asked for whole", .nextSource))
        case let status where Self.withoutAsset.contains(status):
            .fail(
                AttemptFailure(
                    .unacceptableStatus(status), "the server answered with status \(status), which brings no file",
                    .nextSource))
        case 200..<300: whole(response)
        case 416 where offsetBytes > 0: unsatisfiable(response)
        // No source can bring anything else: the caller has it.
        case 304 where isConditional:
            .fail(AttemptFailure(.notModified, "the server still has what is here already", .giveUp))
        default: .fail(refusal(response))
        }
    }

    /// Successes that are none for whoever wants a file (RFC 9110 §15.3): not done yet (202), nothing to send (204, 205), or a difference from
    /// something else (226, RFC 3229).
    private static let withoutAsset: Set = [202, 204, 205, 226]

    /// Why a reply can't bring a further range of what is being fetched; nil when it can. Anything but that range of that version can't.
    func refusalOfRange(_ response: TransferResponse) -> AttemptFailure? {
        switch verdict(on: response) {
        // Where only a digest proves the whole, another version would be found out once all of it is here. What says of itself that it is another
        // one may bring the whole in its turn, but no part of this.
        case .append where trust == .digest && contradicts(response): changed("its validator")
        case .append: nil
        case .fail(let failure): failure
        case .fresh, .alreadyWhole:
            AttemptFailure(
                .changedWhileDownloading, "the server sent another version, or the whole, where a range was asked for",
                trust == .sameSource ? .restart : .nextSource)
        }
    }

    /// RFC 9110 §15.3.7: a part must say which part it is, and everything it says of its version must agree with what is held.
    private func continuation(_ response: TransferResponse) -> ResponseVerdict {
        guard let range = response.contentRange ?? nil, let positions = range.positions else {
            return .fail(invalidPart("the server's part (206) has no usable Content-Range"))
        }
        guard positions.lowerBound == offsetBytes else {
            return .fail(invalidPart("the server sent a part from \(positions.lowerBound) instead of \(offsetBytes)"))
        }
        let known = record?.totalBytes ?? expectedBytes
        if let known, let total = range.totalBytes, known != total { return .fail(changed("its length")) }
        if let difference = difference(response) { return .fail(changed(difference)) }
        guard isWhole else { return .append(totalBytes: range.totalBytes ?? known) }
        return positions.upperBound == offsetBytes ? .alreadyWhole : .fail(changed("its length"))
    }

    private func whole(_ response: TransferResponse) -> ResponseVerdict {
        let total = response.contentLengthBytes
        if let total, let expectedBytes, total != expectedBytes {
            let offer = "the server offers \(total) bytes where \(expectedBytes) were asked for"
            return .fail(AttemptFailure(.sizeMismatch, offer + response.hint, .nextSource))
        }
        if let coding = response.compression, !isProvenByDigest, expectedBytes == nil, !isNamedCompressed(response) {
            let offer = "the server sends it compressed (\(coding)), though it was asked for the bytes as they are"
            return .fail(AttemptFailure(.invalidResponse, offer, .nextSource))
        }
        return .fresh(totalBytes: total ?? expectedBytes)
    }

    private func isNamedCompressed(_ response: TransferResponse) -> Bool {
        response.url.isNamedCompressed || url?.isNamedCompressed == true
    }

    /// RFC 9110 §15.5.17: `bytes */N` tells the length. Where it is what is held, the download had only missed its own end.
    private func unsatisfiable(_ response: TransferResponse) -> ResponseVerdict {
        guard let total = (response.contentRange ?? nil)?.totalBytes, total == heldBytes else {
            return .fail(changed("its length"))
        }
        if let known = record?.totalBytes ?? expectedBytes, known != total { return .fail(changed("its length")) }
        // An error needn't carry validators; the ones it does carry count.
        if trust == .sameSource, let held = record?.entityTag, let now = response.entityTag, held != now {
            return .fail(changed("its ETag"))
        }
        return .alreadyWhole
    }

    /// In what a part's version differs from the held one, nil when in nothing. Only validators of one source can be compared.
    private func difference(_ response: TransferResponse) -> String? {
        guard let record else { return nil }
        switch trust {
        case .none, .digest: return nil
        case .sharedTag: return response.strongEntityTag == record.entityTag ? nil : "its ETag"
        case .sameSource:
            if record.contentCoding != response.contentCoding { return "its coding" }
            if let held = record.entityTag {
                // A part of what has a tag must carry it (RFC 9110 §15.3.7).
                return response.entityTag == held ? nil : "its ETag"
            }
            // A part needn't carry its date (RFC 9110 §15.3.7), but without one nothing tells that the server looked at the `If-Range`.
            guard let now = response.lastModified else { return isProvenByDigest ? nil : "its modification date" }
            return record.lastModified == now ? nil : "its modification date"
        }
    }

    /// Whether another source's validators differ from those of what is held. The same version needn't have the same ones everywhere.
    private func contradicts(_ response: TransferResponse) -> Bool {
        if let held = record?.entityTag, let now = response.strongEntityTag, held != now { return true }
        if let held = record?.lastModified, let now = response.strongLastModified, held != now { return true }
        return false
    }

    private func changed(_ what: String) -> AttemptFailure {
        // What another source has is no reason to throw away what came from this one.
        AttemptFailure(
            .changedWhileDownloading, "the asset changed on the server: \(what) is another",
            trust == .sameSource ? .restart : .nextSource)
    }

    private func invalidPart(_ message: String) -> AttemptFailure {
        AttemptFailure(.invalidResponse, message, trust == .sameSource ? .restart : .nextSource)
    }

    private func refusal(_ response: TransferResponse) -> AttemptFailure {
        let status = response.status
        var mayPass = [408, 425, 429].contains(status) || (status >= 500 && status != 501 && status != 505)
        // A signed link that a redirect led to has a life of its own: the original URL gives a new one.
        if heldBytes > 0, response.redirectCount > 0, [400, 403, 410].contains(status) { mayPass = true }
        var message = "the server answered with status \(status)"
        if let wait = response.retryAfter { message += " and asks to wait \(wait.components.seconds) s" }
        return AttemptFailure(
            .unacceptableStatus(status), message, mayPass ? .retry : .nextSource, retryAfter: response.retryAfter)
    }
}

extension TransferURL {
    /// Whether the file is called what is compressed anyway: many servers take that for a coding, and send what the file is.
    fileprivate var isNamedCompressed: Bool {
        let name = String(decoding: lastPathComponent, as: UTF8.self).lowercased()
        return [".gz", ".tgz", ".svgz", ".br", ".zst", ".z"].contains { name.hasSuffix($0) }
    }
}

extension TransferResponse {
    /// The codings by which the bytes would be others than the file's. What else servers put there, as `utf-8` or `aws-chunked`, changes none.
    private static let compressions: Set = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"]

    /// How it was compressed on its way; nil where it wasn't.
    fileprivate var compression: String? {
        let codings = (contentCoding ?? "").split { ", \t".contains($0) }
        return codings.map { $0.lowercased() }.first { Self.compressions.contains($0) }
    }

    /// What its being a page for people may mean, where the server says that it is one and something else was due; else nothing.
    var hint: String {
        guard headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true else { return "" }
        return ", of an HTML page: the network may want a login (a captive portal), or the URL may be wrong"
    }

    /// How long the server asks us to wait (RFC 9110 §10.2.3), in either form; nil when it doesn't.
    var retryAfter: Duration? {
        guard let value = headers["Retry-After"] else { return nil }
        if let seconds = decimalBytes(value) { return .seconds(min(seconds, 1 << 31)) }
        guard let moment = HTTPDate.seconds(value) else { return nil }
        // The server's own clock is what its date is meant by.
        let now = headers["Date"].flatMap(HTTPDate.seconds) ?? Timestamp.now.seconds
        return .seconds(max(0, moment - now))
    }
}
