import BundleManifest
import Diagnostics
import JSONSyntax
import Jobs
import Platform

/// Findings as a SARIF log (OASIS SARIF 2.1.0), with what GitHub's code scanning asks for.
struct SARIFLog {
    let text: String

    init(_ report: ValidationReport) {
        let rules = ManifestRule.catalogue
        let indices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
        var writer = JSONWriter(.pretty)
        writer.object { log in
            log.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            log.member("version", "2.1.0")
            log.array("runs") { runs in
                runs.object { run in
                    run.object("tool") { $0.object("driver") { Self.writeDriver(rules, to: &$0) } }
                    // Columns as LineIndex counts them.
                    run.member("columnKind", "unicodeCodePoints")
                    run.array("results") { results in
                        for findings in report.findings {
                            for diagnostic in findings.shown {
                                Self.write(diagnostic, index: indices[diagnostic.id], findings.lines, to: &results)
                            }
                        }
                    }
                }
            }
        }
        text = writer.text + "\n"
    }

    private static func writeDriver(_ rules: [RuleDescription], to driver: inout JSONWriter) {
        driver.member("name", "larder")
        driver.member("semanticVersion", LarderVersion.text)
        driver.array("rules") { array in
            for rule in rules {
                array.object { object in
                    object.member("id", rule.id)
                    object.object("shortDescription") { $0.member("text", rule.title) }
                    object.object("fullDescription") { $0.member("text", rule.explanation) }
                    object.object("help") { $0.member("text", rule.explanation) }
                    object.object("defaultConfiguration") { $0.member("level", rule.severity.rawValue) }
                }
            }
        }
    }

    private static func write(
        _ diagnostic: Diagnostic, index: Int?, _ lines: LineIndex, to results: inout JSONWriter
    ) {
        results.object { result in
            result.member("ruleId", diagnostic.id)
            if let index { result.member("ruleIndex", index) }
            result.member("level", diagnostic.severity.rawValue)
            result.object("message") { message in
                message.member("text", diagnostic.message + (diagnostic.hint.map { ". \($0)" } ?? ""))
            }
            result.array("locations") { locations in
                locations.object { location in
                    write(diagnostic.range, lines, to: &location)
                    guard let path = diagnostic.path else { return }
                    location.array("logicalLocations") { $0.object { $0.member("fullyQualifiedName", path) } }
                }
            }
            guard !diagnostic.notes.isEmpty else { return }
            result.array("relatedLocations") { related in
                for note in diagnostic.notes {
                    related.object { location in
                        write(note.range, lines, to: &location)
                        location.object("message") { $0.member("text", note.message) }
                    }
                }
            }
        }
    }

    private static func write(_ range: SourceRange, _ lines: LineIndex, to location: inout JSONWriter) {
        let start = lines.position(of: range.start)
        let end = lines.position(of: range.end)
        location.object("physicalLocation") { physical in
            physical.object("artifactLocation") { $0.member("uri", uri(lines.source.name)) }
            physical.object("region") { region in
                region.member("startLine", start.line)
                region.member("startColumn", start.column)
                region.member("endLine", end.line)
                region.member("endColumn", end.column)
            }
        }
    }

    /// A path as a relative or absolute reference (RFC 3986); a URL stays as it is.
    private static func uri(_ name: String) -> String {
        name.hasPrefix("http://") || name.hasPrefix("https://") ? name : name.percentEncodedPath
    }
}
