import TestSupport
import Testing

@testable import Transfer

/// The small grammars of HTTP: fields, ranges, dates, tags, heads.
@Suite struct MessageSyntaxTests {
    @Test(
        arguments: [
            ("bytes 0-9/10", 0...9, 10), ("bytes 5-9/*", 5...9, nil), ("bytes */10", nil, 10),
            ("BYTES 0-0/1", 0...0, 1),
            ("bytes 0-9223372036854775806/9223372036854775807", 0...Int64.max - 1, Int64.max),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func readsContentRanges(_ text: String, _ positions: ClosedRange<Int64>?, _ total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.positions == positions)
        #expect(range.totalBytes == total)
    }

    @Test(
        arguments: [
            "", "bytes", "bytes ", "bytes */*", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes -9/10",
            "bytes 0-/10",
            "items 0-9/10", "bytes 0-9/10/11", "bytes +0-9/10", "bytes 0-9/-10", "bytes 0x0-9/10", "bytes 0 - 9/10",
            "bytes 0-9223372036854775808/*", "bytes=0-9/10", "bytes 0-4,5-9/10", "bytes ٠-٩/١٠",
        ])
    func refusesMalformedContentRanges(_ text: String) { #expect(ContentRange(text) == nil) }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 31 Feb 2026 00:00:00 GMT", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
            ("Sun Nov  6 08:49:37 1994", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("", nil), ("7", nil),
            ("Sun, 06 nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func readsDates(_ text: String, _ seconds: Int64?) { #expect(HTTPDate.seconds(text) == seconds) }

    @Test func fieldsAreFoundWithoutRegardToCase() {
        var fields: HeaderFields = ["ETag": "a", "X": "1"]
        fields.append("etag", "b")
        #expect(fields["ETAG"] == "a")
        #expect(fields.all("eTag") == ["a", "b"])
        #expect(fields["E-Tag"] == nil)
        #expect(fields.fields.map(\.name) == ["ETag", "X", "etag"])
    }

    @Test(
        arguments: [
            ("", "v"), ("a b", "v"), ("a:", "v"), ("a\r\nB", "v"), ("ä", "v"), ("a", "v\r\nInjected: 1"), ("a", "v\n"),
            ("a", "\0"), ("a", "\u{7f}"),
        ])
    func whatWouldBreakAMessageIsNoField(_ name: String, _ value: String) {
        var fields = HeaderFields()
        let isTaken = fields.append(name, value)
        #expect(!isTaken)
        #expect(fields.fields.isEmpty)
        #expect(HeaderFields(dictionaryLiteral: (name, value)).fields.isEmpty)
    }

    @Test(
        arguments: [
            ("\"\"", true), ("\"v1\"", true), ("W/\"v1\"", false), ("v1", false), ("\"", false), ("\"a\"b\"", false),
            ("\"a b\"", false), ("\"a\nb\"", false), ("\"\u{fffd}\"", false),
        ])
    func knowsStrongEntityTags(_ tag: String, _ isStrong: Bool) { #expect(isStrongEntityTag(tag) == isStrong) }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:01 GMT", true),
            ("Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 GMT", false),
            ("Thu, 01 Jan 2026 00:00:00 GMT", nil, false), ("yesterday", "Thu, 01 Jan 2026 00:00:01 GMT", false),
        ] as [(String, String?, Bool)])
    func aDateIsStrongOnlyOnceItsSecondIsOver(_ modified: String, _ date: String?, _ isStrong: Bool) throws {
        var headers: HeaderFields = ["Last-Modified": modified]
        if let date { headers.append("Date", date) }
        #expect((try response(headers).strongLastModified != nil) == isStrong)
    }

    @Test(
        arguments: [
            (["Content-Length": "10"], .length, 10),
            (["Content-Length": "10", "Transfer-Encoding": "chunked"], .delimited, nil),
            (["Transfer-Encoding": "gzip, chunked"], .delimited, nil), (["Transfer-Encoding": "identity"], .close, nil),
            ([:], .close, nil), (["Content-Length": "1e3"], .close, nil), (["Content-Length": "-1"], .close, nil),
        ] as [(HeaderFields, BodyFraming, Int64?)])
    func knowsWhatLimitsABody(_ headers: HeaderFields, _ framing: BodyFraming, _ length: Int64?) throws {
        let response = try response(headers)
        #expect(response.framing == framing)
        #expect(response.contentLengthBytes == length)
    }

    @Test(
        arguments: [
            (["Content-Encoding": "identity"], nil), ([:], nil), (["Content-Encoding": "gzip"], "gzip"),
            (["Content-Encoding": "gzip, br"], "gzip, br"),
        ] as [(HeaderFields, String?)])
    func knowsContentCodings(_ headers: HeaderFields, _ coding: String?) throws {
        #expect(try response(headers).contentCoding == coding)
    }

    @Test func aHeadIsTheLastOneBeforeTheBody() {
        var head = ResponseHead()
        let lines = [
            "HTTP/1.1 100 Continue", "X-Interim: 1", "", "HTTP/1.1 200", "A:  b \t", "A:c", "broken", " folded: x",
            ": y",
        ]
        let steps = lines.map { head.take(line: $0) }
        #expect(Set(steps) == ["more"])
        let end = head.take(line: "")
        #expect(end == "complete")
        #expect(head.status == 200)
        #expect(head.headers.fields.map(\.name) == ["A", "A"])
        #expect(head.headers.all("a") == ["b", "c"])
        _ = head.take(line: "X-Trailer: 1")
        #expect(head.headers["X-Trailer"] == nil)
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 99 x", "HTTP/1.1 600 x", "HTTP/1.1 -20 x"])
    func aStatusLineNeedsAStatus(_ line: String) {
        var head = ResponseHead()
        let step = head.take(line: line)
        #expect(step == "invalid")
    }

    @Test func durationsNeverBecomeLibcurlsDefault() {
        #expect(Duration.zero.wholeMilliseconds == 1)
        #expect(Duration.microseconds(1).wholeMilliseconds == 1)
        #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
    }

    private func response(_ headers: HeaderFields) throws -> TransferResponse {
        var head = ResponseHead()
        _ = head.take(line: "HTTP/1.1 200 OK")
        for field in headers.fields { _ = head.take(line: "\(field.name): \(field.value)") }
        return TransferResponse(
            status: 200, headers: head.headers, url: try TransferURL("http://a.example/"), redirectCount: 0,
            framing: head.framing(httpMajorVersion: 1))
    }
}

extension ResponseHead {
    fileprivate mutating func take(line: String) -> String {
        let step = Array((line + "\r\n").utf8).withUnsafeBytes { take($0) }
        return switch step {
        case .more: "more"
        case .complete: "complete"
        case .invalid: "invalid"
        }
    }
}
