import Diagnostics
import JSONSyntax
import Jobs
import ManifestChecks
import Platform

/// Findings as a SARIF log (OASIS SARIF 2.1.0), with what GitHub's code scanning asks for.
struct SARIFLog: FindingsPrinter {
    private var writer = JSONWriter(.pretty)
    private let ruleIndices: [String: Int]

    init() {
        let rules = RuleCatalogue.all
        ruleIndices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
        writer.beginObject()
        writer.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        writer.member("version", "2.1.0")
        writer.key("runs")
        writer.beginArray()
        writer.beginObject()
        writer.object("tool") { $0.object("driver") { Self.writeDriver(rules, to: &$0) } }
        // Columns as LineIndex counts them.
        writer.member("columnKind", "unicodeCodePoints")
        writer.key("results")
        writer.beginArray()
    }

    mutating func add(_ findings: ManifestFindings) -> String {
        var file = SARIFFile(findings)
        for diagnostic in findings.shown {
            Self.write(diagnostic, index: ruleIndices[diagnostic.id], &file, to: &writer)
        }
        return writer.takeText()
    }

    mutating func finish() -> String {
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.takeText() + "\n"
    }

    private static func writeDriver(_ rules: [RuleDescription], to driver: inout JSONWriter) {
        driver.member("name", "larder")
        driver.member("version", LarderVersion.text)
        driver.member("semanticVersion", LarderVersion.text)
        driver.array("rules") { array in
            for rule in rules {
                array.object { object in
                    object.member("id", rule.id)
                    object.object("shortDescription") { $0.member("text", rule.title.asMessageString) }
                    object.object("fullDescription") { $0.member("text", rule.explanation.asMessageString) }
                    object.object("help") { $0.member("text", rule.explanation.asMessageString) }
                    object.object("defaultConfiguration") { $0.member("level", rule.severity.rawValue) }
                    object.object("properties") { properties in
                        properties.member("tags", ["manifest"])
                        properties.member("precision", "very-high")
                        properties.member("problem.severity", problemSeverity(rule.severity))
                    }
                }
            }
        }
    }

    private static func write(
        _ diagnostic: Diagnostic, index: Int?, _ file: inout SARIFFile, to results: inout JSONWriter
    ) {
        let fingerprint = file.fingerprint(of: diagnostic)
        results.object { [file] result in
            result.member("ruleId", diagnostic.id)
            if let index { result.member("ruleIndex", index) }
            result.member("level", diagnostic.severity.rawValue)
            result.object("message") { message in
                let text = diagnostic.message + (diagnostic.hint.map { ". \($0)" } ?? "")
                message.member("text", text.asMessageString)
            }
            // What stays the same while lines move: GitHub knows a finding again by this.
            result.object("partialFingerprints") { fingerprints in
                fingerprints.member("primaryLocationLineHash", fingerprint)
            }
            result.array("locations") { locations in
                locations.object { location in
                    file.write(diagnostic.range, to: &location)
                    guard let path = diagnostic.path else { return }
                    location.array("logicalLocations") { $0.object { $0.member("fullyQualifiedName", path) } }
                }
            }
            guard !diagnostic.notes.isEmpty else { return }
            result.array("relatedLocations") { related in
                for note in diagnostic.notes {
                    related.object { location in
                        file.write(note.range, to: &location)
                        location.object("message") { $0.member("text", note.message.asMessageString) }
                    }
                }
            }
        }
    }

    /// The words that GitHub's code scanning has for it.
    private static func problemSeverity(_ severity: Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .note: "recommendation"
        }
    }
}

/// One manifest in a SARIF log.
private struct SARIFFile {
    private let lines: LineIndex
    private let uri: String
    /// Whether the URI is relative to where the program runs, which for code scanning is the root of the sources.
    private let isRelative: Bool
    private var fingerprintCounts: [String: Int] = [:]

    init(_ findings: ManifestFindings) {
        lines = findings.lines
        switch findings.location {
        case .file(let path) where path.hasPrefix("/"):
            (uri, isRelative) = ("file://" + path.percentEncodedPath, false)
        case .file(let path):
            (uri, isRelative) = ((path.hasPrefix("./") ? String(path.dropFirst(2)) : path).percentEncodedPath, true)
        case .remote(let url):
            (uri, isRelative) = ("\(url)", false)
        case .standardInput:
            (uri, isRelative) = ("stdin", true)
        }
    }

    func write(_ range: SourceRange, to location: inout JSONWriter) {
        let start = lines.position(of: range.start)
        let end = lines.position(of: range.end)
        location.object("physicalLocation") { physical in
            physical.object("artifactLocation") { artifact in
                artifact.member("uri", uri)
                if isRelative { artifact.member("uriBaseId", "%SRCROOT%") }
            }
            physical.object("region") { region in
                region.member("startLine", start.line)
                region.member("startColumn", start.column)
                region.member("endLine", end.line)
                region.member("endColumn", end.column)
            }
        }
    }

    /// Of the rule and the place in the manifest's structure, or of the message where there is no such place; and which one of these it is.
    mutating func fingerprint(of diagnostic: Diagnostic) -> String {
        let digest = SHA256.digest(of: "\(diagnostic.id) \(diagnostic.path ?? diagnostic.message)".utf8)
        let hash = String("\(digest)".prefix(16))
        fingerprintCounts[hash, default: 0] += 1
        return "\(hash):\(fingerprintCounts[hash, default: 1])"
    }
}

extension String {
    /// With braces doubled: single ones stand for arguments (SARIF 2.1.0, section 3.11.5), and some readers fail at them.
    fileprivate var asMessageString: String {
        var text: [UInt8] = []
        for byte in utf8 { text += "{}".utf8.contains(byte) ? [byte, byte] : [byte] }
        return String(decoding: text, as: UTF8.self)
    }
}
