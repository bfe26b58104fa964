import Diagnostics
import JSONSyntax
import Platform

// The types of values that only manifests have.

/// The format that this decoder reads.
private let supportedFormat = "larder/1"

extension ValueType<String> {
    static let formatName = ValueType("a string", .string) { value, context in
        let text = value.string ?? ""
        if text != supportedFormat {
            context.report(
                .unknownFormat, "the format \(text.quotedForMessage()) is unknown", at: value,
                hint: "this version reads \"\(supportedFormat)\"")
        }
        return text
    }

    static let requirement = ValueType("a string", .string) { value, context in
        let feature = value.string ?? ""
        if !context.options.knownRequirements.contains(feature) {
            context.report(
                .unknownRequirement,
                "the manifest requires the feature \(feature.quotedForMessage()), which is unknown",
                at: value, hint: "a newer version of Larder may know it")
        }
        return feature
    }

    static let filename = portable(checked("a file name", PathRules.check(filename:)))

    static let path = portable(checked("a path", PathRules.check(path:)))

    static let segmentPath = portable(
        checked("a path") { path throws(Problem) in
            try PathRules.check(path: path)
            try checkReserved(path)
        })

    static let pattern = checked("a pattern") { text throws(Problem) in
        do throws(PathPatternProblem) { _ = try PathPattern(text) } catch {
            throw Problem(.badPattern, "\(text.quotedForMessage()) can't be used as a pattern: \(error)")
        }
    }

    static let joinName = portable(
        checked("a file name") { name throws(Problem) in
            try PathRules.check(filename: name)
            try checkReserved(name)
        })

    /// Tells of a path that other systems have trouble with.
    private static func portable(_ type: Self) -> Self {
        Self(type.expected) { value, context in
            guard let path = type.decode(value, &context) else { return nil }
            for problem in PortableNames.problems(of: path) { context.report(problem, at: value) }
            return path
        }
    }

    /// Beside segments Larder writes two files of its own.
    private static func checkReserved(_ path: String) throws(Problem) {
        if path == "index.m3u8" || path == "index.json" {
            throw Problem(.reservedName, "\"\(path)\" is written by Larder itself")
        }
    }
}

extension ValueType<BundleID> {
    static let id = parsed(
        "an id", .badID, hint: "1 to 64 of a-z 0-9 . _ - and a letter or digit in front", BundleID.init)
}

extension ValueType<Timestamp> {
    static let timestamp = parsed(
        "a time in UTC", .badTimestamp, hint: "write it as 2026-11-29T00:00:00Z", { Timestamp(rfc3339: $0) })
}

extension ValueType<SHA256Digest> {
    static let digest = ValueType("a SHA-256", .string) { value, context in
        let text = value.string ?? ""
        guard let digest = SHA256Digest(lowercaseHex: text) else {
            context.report(
                .badDigest, "\(text.quotedForMessage()) is not a SHA-256", at: value, hint: hint(text),
                fix: SHA256Digest(hex: text) == nil ? [] : value.fix(replacingTextBy: text.lowercased()))
            return nil
        }
        let first = text.utf8.first
        if text.utf8.allSatisfy({ $0 == first }) {
            context.report(
                .placeholderDigest, "no file has such a digest", at: value, hint: "sha256sum FILE prints the real one")
        }
        return digest
    }

    private static func hint(_ text: String) -> String {
        let length = text.utf8.count
        return length == 64
            ? "write 64 lowercase hexadecimal digits" : "write 64 lowercase hexadecimal digits; this has \(length)"
    }
}

extension ValueType<Resolution> {
    static let resolution = parsed("a resolution", .badResolution, hint: "write it as 1280x720", Resolution.init)
}

extension ValueType<Duration> {
    /// Seconds; the bound keeps sums of a million of them far from overflow.
    static let duration = ValueType<Double>.number(0...1e9).map { Duration.seconds($0) }
}

extension ValueType<URLReference> {
    static let url = ValueType("a URL", .string) { value, context in
        let text = value.string ?? ""
        do throws(Problem) {
            let url = try URLRules.check(text, allowsFileURLs: context.options.allowsFileURLs)
            for problem in URLRules.doubts(text) { context.report(problem, at: value) }
            return url
        } catch {
            let encoded = error.rule == .badURLCharacter ? URLCharacters.percentEncoded(text) : nil
            context.report(error, at: value, fix: encoded.map { value.fix(replacingTextBy: $0) } ?? [])
            return nil
        }
    }

    static let mirror = ValueType("a URL", .string) { value, context in
        guard let mirror = url.decode(value, &context) else { return nil }
        if !mirror.isAbsolute {
            context.report(
                .relativeMirror, "the mirror \(mirror.text.quotedForMessage()) is not an absolute URL", at: value)
        } else if !mirror.text.hasSuffix("/") {
            context.report(
                .mirrorWithoutSlash, "the mirror \(mirror.text.quotedForMessage()) doesn't end with a slash", at: value,
                hint: "what follows its last slash is dropped when a relative URL is joined to it")
        }
        return mirror
    }
}

extension ValueType<[URLReference]> {
    static let urls = distinct(.list(of: .url, "URLs", atLeast: 1))

    static let mirrors = distinct(.list(of: .mirror, "URLs"))

    private static func distinct(_ type: Self) -> Self {
        Self(type.expected) { value, context in
            let urls = type.decode(value, &context)
            guard let urls, urls.count > 1 else { return urls }
            var places: [String: JSONValue] = [:]
            for element in value.elements {
                guard let text = element.string else { continue }
                guard let first = places[text] else {
                    places[text] = element
                    continue
                }
                context.report(
                    .repeatedURL, "the URL \(text.quotedForMessage()) appears again", at: element,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)])
            }
            return urls
        }
    }
}

extension ValueType<Int> {
    /// The size of one file.
    static let fileSize = Self(count.expected) { value, context in
        let size = count.decode(value, &context)
        if let size, size > PortableNames.largestFATFileBytes {
            context.report(.tooLargeForFAT, "a file of \(size) bytes doesn't fit on FAT32", at: value)
        }
        return size
    }
}

extension JSONValue {
    /// The change that gives a string another text; none where the string has escapes, or the text would need some.
    func fix(replacingTextBy text: String) -> [TextEdit] {
        guard !sourceBytes.contains(UInt8(ascii: "\\")),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return [] }
        return [TextEdit(range, "\"\(text)\"")]
    }
}

extension ValueType<Located<[FileEntry]>> {
    static let files = located(
        .list(of: ValueType<FileDraft>.object(FileDraft.table).map(\.entry), "files", atLeast: 1))
}

extension ValueType<Located<[SegmentEntry]>> {
    static let segments = located(
        .list(of: ValueType<SegmentDraft>.object(SegmentDraft.table).map(\.entry), "segments", atLeast: 1))
}

extension ValueType<Selection> {
    static let selection = ValueType("an object", .object) { value, context in
        let selection = Selection.table.decode(value, &context)
        var others = selection
        others.takesAll = false
        if selection.takesAll, others != Selection() {
            context.report(
                .contradictorySelection, "\"all\" takes everything, so nothing else can be selected", at: value)
        }
        if let least = selection.minBandwidth, let most = selection.maxBandwidth, least > most {
            context.report(.contradictorySelection, "minBandwidth is above maxBandwidth", at: value)
        }
        return selection
    }
}

extension ValueType<[RequestHeader]> {
    static let headers = ValueType("an object of strings", .object) { value, context in
        var headers: [RequestHeader] = []
        var places: [String: JSONValue] = [:]
        for member in value.members {
            guard let header = header(member, &context) else { continue }
            if let first = places.updateValue(member.key, forKey: header.name.lowercased()) {
                context.report(
                    .repeatedHeader, "the header \(header.name) is given twice", at: member.key,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)])
            }
            headers.append(header)
        }
        return headers
    }

    private static func header(_ member: JSONMember, _ context: inout DecodingContext) -> RequestHeader? {
        let name = ValueType<String>.checked("a header's name", HeaderRules.check(name:)).decode(member.key, &context)
        let value = ValueType<String>.checked("a string", HeaderRules.check(value:)).decode(member.value, &context)
        guard let name, let value else { return nil }
        if HeaderRules.isSecret(name) {
            context.report(
                .secretInHeader, "the header \(name) looks like a secret, and everyone can read a manifest",
                at: member.key,
                hint: "put them into a netrc file, and name that in --config", secret: member.value.range)
        }
        return RequestHeader(name: name, value: value)
    }
}

extension ValueType<BundleDraft> {
    static let bundle = ValueType("an object", .object) { value, context in
        var draft = BundleDraft.table.decode(value, &context)
        draft.place = value
        draft.check(at: value, &context)
        return draft
    }
}
