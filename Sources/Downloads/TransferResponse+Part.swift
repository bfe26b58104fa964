import Platform
import Transfer

extension TransferResponse {
    /// This reply to a request for a part of something, as it would be if the part were all there is. Other replies than successes stay as they are.
    /// - Parameters:
    ///   - part: the asset, in what is there.
    ///   - isFromStart: whether its first byte was asked for.
    /// - Throws: what it means when the reply is no part at all (RFC 9110 §14.2), or the part doesn't exist (§15.5.17).
    func asReply(to part: Range<Int64>, isFromStart: Bool) throws(AttemptFailure) -> TransferResponse {
        switch status {
        case 206:
            guard let positions = (contentRange ?? nil)?.positions, positions.lowerBound >= part.lowerBound,
                positions.upperBound < part.upperBound
            else {
                throw AttemptFailure(
                    .invalidResponse, "\(otherPart); asked for were bytes \(part.lowerBound) to \(part.upperBound - 1)",
                    .nextSource)
            }
            let end = (contentRange ?? nil)?.totalBytes ?? part.upperBound
            guard end >= part.upperBound else { throw Self.missing(part, ofBytes: end, .nextSource) }
            return shifted(positions, in: part, isFromStart: isFromStart)
        case 200..<300:
            // The whole may be just what was asked for.
            if part.lowerBound == 0, contentLengthBytes == part.upperBound { return self }
            // A condition that no longer holds brings the whole as well (RFC 9110 §13.1.5).
            guard isFromStart else {
                throw AttemptFailure(
                    .changedWhileDownloading, "the server sent the whole where a part was gone on with", .restart)
            }
            throw AttemptFailure(.rangeIgnored, "the server sent the whole where a part was asked for", .nextSource)
        case 416:
            throw Self.missing(
                part, ofBytes: (contentRange ?? nil)?.totalBytes, isFromStart ? .nextSource : .restart)
        default: return self
        }
    }

    private static func missing(
        _ part: Range<Int64>, ofBytes total: Int64?, _ remedy: AttemptFailure.Remedy
    ) -> AttemptFailure {
        let length = total.map { "\($0) bytes" } ?? "less than that"
        return AttemptFailure(
            .sizeMismatch,
            "bytes \(part.lowerBound) to \(part.upperBound - 1) were asked for, and the server has \(length)",
            remedy)
    }

    private var otherPart: String {
        "the server sent a part (206) with \(headers["Content-Range"].map { "Content-Range '\(escapedText($0))'" } ?? "no Content-Range")"
    }

    private func shifted(
        _ positions: ClosedRange<Int64>, in part: Range<Int64>, isFromStart: Bool
    ) -> TransferResponse {
        let count = positions.upperBound - positions.lowerBound + 1
        let first = positions.lowerBound - part.lowerBound
        let isWhole = isFromStart && first == 0
        var fields: [(String, String)] = [("Accept-Ranges", "bytes"), ("Content-Length", "\(count)")]
        if !isWhole {
            fields.append(("Content-Range", "bytes \(first)-\(first + count - 1)/\(part.upperBound - part.lowerBound)"))
        }
        return replacing(status: isWhole ? 200 : 206, fields)
    }
}
