import Diagnostics
import JSONSyntax
import Platform

/// What a list of segments tells about itself: one finding a rule, at the first place, however long the list is.
struct SegmentRules {
    private let segments: [SegmentEntry]
    private let list: JSONValue

    init(_ segments: Located<[SegmentEntry]>) {
        self.segments = segments.value
        list = segments.place
    }

    func check(_ context: inout DecodingContext) {
        checkDurations(&context)
        checkNumbers(&context)
        checkContainers(&context)
        checkSources(&context)
    }

    /// The object of a segment. Found by walking, so only for what is told.
    private func place(_ ordinal: Int) -> JSONValue {
        var rest = list.elements.lazy.filter { $0.kind == .object }.dropFirst(ordinal).makeIterator()
        return rest.next() ?? list
    }

    private func checkDurations(_ context: inout DecodingContext) {
        if segments.contains(where: { $0.duration == nil }) {
            // One that is there and wrong has been told already.
            let without = list.elements.filter { $0.kind == .object && $0["duration"] == nil }
            if let first = without.first, without.count < segments.count {
                context.report(
                    .missingDuration,
                    "\(without.count) of \(segments.count) segments have no duration; this is the first", at: first,
                    hint: "add \"duration\", in seconds")
            }
        }
        guard let first = segments.firstIndex(where: { $0.duration == .zero }) else { return }
        let count = segments.count { $0.duration == .zero }
        context.report(
            .noDuration, "\(count) of \(segments.count) segments last 0 seconds; this is the first",
            at: place(first)["duration"] ?? place(first))
    }

    /// Names are numbered when most steps are by one; timestamps, for example, are not.
    private func checkNumbers(_ context: inout DecodingContext) {
        var steps = 0
        var gap: (ordinal: Int, missing: Int)?
        var back: (ordinal: Int, before: Int, number: Int)?
        var previous: Int?
        for (ordinal, segment) in segments.enumerated() {
            let number = Self.number(in: segment.path)
            defer { previous = number }
            guard let number, let before = previous else { continue }
            if number == before &+ 1 {
                steps += 1
            } else if number > before {
                gap = gap ?? (ordinal, before &+ 1)
            } else {
                back = back ?? (ordinal, before, number)
            }
        }
        guard steps * 2 >= segments.count - 1, steps > 0 else { return }
        if let gap {
            context.report(
                .gapInNumbers, "the segment number \(gap.missing) is missing before this one",
                at: place(gap.ordinal)["path"] ?? place(gap.ordinal))
        }
        if let back {
            context.report(
                .numbersOutOfOrder, "the segment number \(back.number) comes after \(back.before)",
                at: place(back.ordinal)["path"] ?? place(back.ordinal))
        }
    }

    /// The last component of a path.
    private static func name(of path: String) -> Substring.UTF8View {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...].utf8
    }

    /// The last run of digits in a file's name before its extension; nil for none, and for one too long to be a number of segments.
    private static func number(in path: String) -> Int? {
        let name = name(of: path)
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name
        guard let last = stem.lastIndex(where: isDigit) else { return nil }
        var number = 0
        var scale = 1
        for digit in stem[...last].reversed() {
            guard isDigit(digit) else { break }
            guard scale <= 100_000_000 else { return nil }
            number += scale * Int(digit - UInt8(ascii: "0"))
            scale *= 10
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private func checkContainers(_ context: inout DecodingContext) {
        // A path that was refused is empty.
        guard let first = segments.first(where: { !$0.path.isEmpty }) else { return }
        let container = Self.container(of: first.path)
        guard
            let other = segments.firstIndex(where: { !$0.path.isEmpty && Self.container(of: $0.path) != container })
        else { return }
        context.report(
            .mixedContainers,
            "this segment is \(Self.container(of: segments[other].path).quotedForMessage()), and the first one \(container.quotedForMessage())",
            at: place(other)["path"] ?? place(other))
    }

    /// The extension, one name for all that fragmented MP4 has. A path without one has a container that nobody knows.
    private static func container(of path: String) -> String {
        guard let dot = name(of: path).lastIndex(of: UInt8(ascii: ".")) else { return "" }
        let ending = path[path.utf8.index(after: dot)...]
        switch ending.lowercased() {
        case "m4s", "mp4", "m4a", "m4v", "cmfv", "cmfa": return "mp4"
        case let other: return other
        }
    }

    private func checkSources(_ context: inout DecodingContext) {
        guard !TextOrder.tellsApart(segments.lazy.map { $0.source.urls.first?.text ?? "" }) else { return }
        var seen = OrdinalTable(expecting: segments.count)
        for (ordinal, segment) in segments.enumerated() {
            guard let url = segment.source.urls.first else { continue }
            let known = seen.insert(ordinal, hash: url.hashValue) { segments[$0].source.urls.first == url }
            guard let first = known else { continue }
            let earlier = place(first)
            context.report(
                .repeatedSegment, "the segment comes from the same URL as another one, \(URLRules.quoted(url.text))",
                at: place(ordinal)["urls"] ?? place(ordinal),
                notes: [Diagnostic.Note("this is the other one", at: (earlier["urls"] ?? earlier).markedRange)])
            return
        }
    }
}
