import Diagnostics
import JSONSyntax
import Platform

// The types of values that only manifests have.

/// The format that this decoder reads.
private let supportedFormat = "larder/1"

extension ValueType<String> {
    static let formatName = ValueType("a string", .string, schema: ["const": .string(supportedFormat)]) {
        value, context in
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
        // The format has no features yet that a reader might not know.
        context.report(
            .unknownRequirement,
            "the manifest requires the feature \(feature.quotedForMessage()), which is unknown",
            at: value, hint: "a newer version of Larder may know it")
        return feature
    }

    static let filename = portable(
        checked("a file name", schema: ["pattern": .string(TextPatterns.filename)], PathRules.check(filename:))
    ).shared(as: "fileName")

    static let path = portable(checked("a path", schema: pathSchema, PathRules.check(path:))).shared(as: "path")

    private static let pathSchema: JSONSchema = [
        "maxLength": .integer(PathRules.longestPathBytes), "pattern": .string(TextPatterns.path),
    ]

    static let segmentPath = portable(
        checked("a path", schema: path.schema.with(notReserved)) { path throws(Problem) in
            try PathRules.check(path: path)
            try checkReserved(path)
        })

    static let pattern = checked("a pattern", schema: ["minLength": 1]) { text throws(Problem) in
        do throws(PathPatternProblem) { _ = try PathPattern(text) } catch {
            throw Problem(.badPattern, "\(text.quotedForMessage()) can't be used as a pattern: \(error)")
        }
    }

    static let joinName = portable(
        checked("a file name", schema: filename.schema.with(notReserved)) { name throws(Problem) in
            try PathRules.check(filename: name)
            try checkReserved(name)
        })

    /// Tells of a path that other systems have trouble with.
    private static func portable(_ type: Self) -> Self {
        Self(type.expected, schema: type.schema) { [decode = type.decode] value, context in
            guard let path = decode(value, &context) else { return nil }
            for problem in PortableNames.problems(of: path) {
                let isComposed = problem.rule != .notComposed
                context.report(
                    problem, at: value,
                    fix: isComposed ? [] : value.fix(replacingTextBy: PortableNames.composed(path)))
            }
            return path
        }
    }

    /// Beside segments Larder writes two files of its own.
    private static let reserved = ["index.m3u8", "index.json"]

    /// Nor as folders: a file and a folder can't have one name.
    private static let notReserved: JSONSchema = ["not": ["pattern": #"^index\.(m3u8|json)(/|$)"#]]

    private static func checkReserved(_ path: String) throws(Problem) {
        let first = String(Substring(path.utf8.prefix { $0 != UInt8(ascii: "/") }))
        if reserved.contains(first) { throw Problem(.reservedName, "\"\(first)\" is written by Larder itself") }
    }
}

extension ValueType<BundleID> {
    static let id = parsed(
        "an id", .badID, hint: "1 to 64 of a-z 0-9 . _ - and a letter or digit in front",
        schema: ["pattern": .string(LibraryName.pattern)], BundleID.init
    ).shared(as: "id")

    /// One that a folder is called by.
    static let folderName = Self(id.expected, schema: id.schema) { value, context in
        guard let id = id.decode(value, &context) else { return nil }
        for problem in PortableNames.problems(of: id.text) { context.report(problem, at: value) }
        return id
    }
}

extension ValueType<Timestamp> {
    static let timestamp = parsed(
        "a time in UTC", .badTimestamp, hint: "write it as 2026-11-29T00:00:00Z",
        schema: ["format": "date-time", "pattern": .string(TextPatterns.timestamp)], { Timestamp(rfc3339: $0) }
    ).shared(as: "time")
}

extension ValueType<SHA256Digest> {
    static let digest = ValueType("a SHA-256", .string, schema: ["pattern": "^[0-9a-f]{64}$"]) { value, context in
        guard let digest = value.withContent({ SHA256Digest(lowercaseHexDigits: $0.span.bytes) }) else {
            let text = value.string ?? ""
            context.report(
                .badDigest, "\(text.quotedForMessage()) is not a SHA-256", at: value, hint: hint(text),
                fix: SHA256Digest(hex: text) == nil ? [] : value.fix(replacingTextBy: text.lowercased()))
            return nil
        }
        if value.withContent({ digits in digits.allSatisfy { $0 == digits.first } }) {
            context.report(
                .placeholderDigest, "no file has such a digest", at: value, hint: "sha256sum FILE prints the real one")
        }
        return digest
    }.shared(as: "sha256")

    private static func hint(_ text: String) -> String {
        let digits = text.prefix { $0.isHexDigit }.utf8.count
        let length = text.utf8.count
        switch (digits, length) {
        case (64, 65...): return "leave out what follows the 64 digits"
        case (_, 65...) where text.suffix(64).allSatisfy(\.isHexDigit): return "leave out what precedes the 64 digits"
        case (32, 32): return "32 digits are an MD5; sha256sum FILE prints the one that is needed"
        case (40, 40): return "40 digits are a SHA-1; sha256sum FILE prints the one that is needed"
        case (128, 128): return "128 digits are a SHA-512; sha256sum FILE prints the one that is needed"
        case (_, 64): return "write 64 lowercase hexadecimal digits"
        default: return "write 64 lowercase hexadecimal digits; this has \(length)"
        }
    }
}

extension ValueType<PictureSize> {
    static let resolution = parsed(
        "a resolution", .badResolution, hint: "write it as 1280x720",
        schema: ["pattern": "^0*[1-9][0-9]{0,4}x0*[1-9][0-9]{0,4}$"], { PictureSize($0) })
}

extension ValueType<Duration> {
    /// Seconds; the bound keeps sums of a million of them far from overflow.
    static let duration = ValueType<Double>.number(0...1_000_000_000, of: "seconds").map { Duration.seconds($0) }
    /// Seconds.
    static let recordingLength = ValueType<Double>.number(1...100_000_000, of: "seconds").map { Duration.seconds($0) }
}

extension ValueType<Int> {
    /// The size of one file.
    static let fileSize = Self(bytes.expected, schema: bytes.schema) { value, context in
        let size = bytes.decode(value, &context)
        checkFileSize(size, at: value, &context)
        return size
    }

    static func checkFileSize(
        _ bytes: Int?, at place: @autoclosure () -> JSONValue?, _ context: inout DecodingContext
    ) {
        guard let bytes, bytes > PortableNames.largestFATFileBytes, let place = place() else { return }
        context.report(.tooLargeForFAT, "a file of \(bytes) bytes doesn't fit on FAT32", at: place)
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
        .list(of: ValueType<FileDraft>.entry(as: "file").map(\.entry), "files", .object, atLeast: 1))
}

extension ValueType<Located<[SegmentEntry]>> {
    static let segments = located(
        .list(of: ValueType<SegmentDraft>.entry(as: "segment").map(\.entry), "segments", .object, atLeast: 1))
}

extension ValueType where Value: SourceHolder {
    /// An element of a list of sources.
    fileprivate static func entry(as name: String) -> Self {
        let object = object(Value.table)
        return Self(object.expected, schema: object.schema) { [decode = object.decode] value, context in
            let draft = decode(value, &context)
            if let draft { context.add(draft.source, at: value) }
            return draft
        }.shared(as: name)
    }
}

extension ValueType<Selection> {
    static let selection = ValueType(
        "an object", .object, schema: selectionSchema, form: Selection.table.form
    ) { value, context in
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
    }.shared(as: "selection")

    /// With `all` nothing else is selected.
    private static let selectionSchema = Selection.table.schema.with([
        "if": ["properties": ["all": ["const": true]], "required": ["all"]],
        "then": [
            "properties": [
                "maxBandwidth": false, "minBandwidth": false, "resolution": false, "frameRate": false,
                "codecs": ["maxItems": 0], "audio": ["maxItems": 0], "subtitles": ["maxItems": 0],
            ]
        ],
    ])
}

extension ValueType<[RequestHeader]> {
    static let headers = ValueType("an object of strings", .object, schema: headersSchema) { value, context in
        // Names are compared as headers are, and not as keys.
        context.mayHaveRepeatedKeys = true
        var headers: [RequestHeader] = []
        var places: [String: JSONValue] = [:]
        for member in value.members {
            guard let header = header(member, &context) else { continue }
            let name = header.name.lowercased()
            if let first = places[name] {
                context.report(
                    .repeatedHeader, "the header \(header.name) is given twice", at: member.key,
                    notes: [Diagnostic.Note("it was first given here", at: first.range)])
            } else {
                places[name] = member.key
            }
            headers.append(header)
        }
        return headers
    }

    private static let headersSchema: JSONSchema = [
        "propertyNames": [
            "pattern": .string(TextPatterns.headerName),
            "not": ["pattern": .string(TextPatterns.anyOf(FieldName.reserved))],
        ],
        "additionalProperties": ["type": "string", "pattern": .string(TextPatterns.headerValue)],
    ]

    private static func header(_ member: JSONMember, _ context: inout DecodingContext) -> RequestHeader? {
        let name = ValueType<String>.checked("a header's name", HeaderRules.check(name:)).decode(member.key, &context)
        let value = ValueType<String>.checked("a string", HeaderRules.check(value:)).decode(member.value, &context)
        guard let name, let value else { return nil }
        if HeaderRules.isSecret(name) {
            context.report(
                .secretInHeader, "the header \(name) looks like a secret, and everyone can read a manifest",
                at: member.key,
                hint: "put it into `headers` of --config, or a login into a netrc file", secret: member.value.range)
        }
        return RequestHeader(name: name, value: value)
    }
}

extension ValueType<DecodedBundle> {
    static let bundle = ValueType(
        "a bundle", .object, schema: bundleSchema, form: BundleDraft.table.form
    ) { value, context in
        let draft = BundleDraft.table.decode(value, &context)
        draft.check(at: value, &context)
        context.keep(draft)
        return DecodedBundle(place: value, id: draft.id, after: draft.after)
    }.shared(as: "bundle")

    private static let bundleSchema = BundleDraft.table.schema.with([
        "dependentRequired": ["joinSHA256": ["join"]],
        "dependentSchemas": ["gaps": ["anyOf": [["required": ["until"]], ["required": ["follow"]]]]],
    ])
}
