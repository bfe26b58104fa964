import BundleManifest
import CommandLineParsing
import Diagnostics
import Downloads
import Glibc
import JSONSyntax
import Jobs
import Platform
import Transfer

/// What a `--config` file sets.
struct SessionSettings: Sendable {
    var session: SessionConfiguration
    var maximumConnections: Int?
    var connectionsPerHost: Int?
    var retries: Int?
    var split: SplitPolicy?
    var redirects = RedirectPolicy.follow(limit: 10)
    /// The most bytes that one reply may carry; nil: any number.
    var bodyBudgetBytes: Int64?
    /// By whom manifests must be signed; empty: by nobody.
    var publicKeys: [MinisignPublicKey] = []
    /// What holds at times instead of this; of two windows that overlap the first counts.
    var schedule: [ScheduledSettings] = []

    /// - Parameter session: what holds where the file says nothing.
    init(session: SessionConfiguration) { self.session = session }
}

/// Why a `--config` file can't be used: a line for each reason, with its place. Values aren't quoted, since some of them are secret.
struct SettingsProblem: Error {
    let lines: [String]

    /// Tells it as a mistake of the command line is told.
    /// - Returns: how the command ends then.
    func tell() -> Jobs.ExitCode {
        for line in lines { Console.writeError("larder: \(line)\n") }
        return .usage
    }
}

/// Everything that can be wrong with settings besides their JSON.
private enum SettingsRule: String, DiagnosticRule {
    case notAnObject = "C001"
    case unknownKey = "C002"
    case unusableValue = "C003"
    case missingWindow = "C004"

    var severity: Severity { .error }

    var title: String {
        switch self {
        case .notAnObject: "settings are one object"
        case .unknownKey: "a setting that doesn't exist"
        case .unusableValue: "a value that a setting can't have"
        case .missingWindow: "settings of a schedule that don't say when they hold"
        }
    }
}

extension SessionSettings {
    /// The settings that can't change while a run goes on, as far as they aren't what they were.
    func namesOfFixed(differingFrom other: SessionSettings) -> [String] {
        [
            redirects == other.redirects ? nil : "maxRedirects",
            bodyBudgetBytes == other.bodyBudgetBytes ? nil : "bodyBudget",
            publicKeys == other.publicKeys ? nil : "publicKeys",
        ].compactMap(\.self)
    }

    /// Reads a file of settings over the ones that hold without it.
    mutating func read(_ path: String) throws(SettingsProblem) {
        let document: JSONDocument
        do {
            let bytes = try OwnedDescriptor.openRegularFile(path).readAll(limitBytes: 1 << 20)
            document = try JSONDocument(bytes, name: path)
        } catch let error as JSONSyntaxError {
            let renderer = DiagnosticTextRenderer(LineIndex(error.source), of: error.diagnostics)
            throw SettingsProblem(lines: error.diagnostics.map(renderer.line))
        } catch {
            throw SettingsProblem(lines: ["\(escapedText(path)): the settings can't be read: \(error)"])
        }
        let diagnostics = document.duplicateKeys() + decode(document.root)
        guard diagnostics.isEmpty else {
            let renderer = DiagnosticTextRenderer(LineIndex(document.source), of: diagnostics)
            throw SettingsProblem(lines: diagnostics.sortedByPosition().map(renderer.lineWithHint))
        }
    }

    private mutating func decode(_ root: JSONValue) -> [Diagnostic] {
        guard root.kind == .object else {
            return [Diagnostic(SettingsRule.notAnObject, "expected an object of settings", at: root.range)]
        }
        // What a schedule says is said over all else, wherever it stands.
        return decode(root, among: Setting.all, besides: "schedule") + decodeSchedule(root["schedule"])
    }

    private mutating func decodeSchedule(_ value: JSONValue?) -> [Diagnostic] {
        guard let value else { return [] }
        guard value.kind == .array else {
            return [Diagnostic(SettingsRule.unusableValue, "\"schedule\" is a list of objects", at: value.range)]
        }
        let base = self
        var diagnostics: [Diagnostic] = []
        for entry in value.elements {
            guard entry.kind == .object, let written = entry["window"] else {
                diagnostics.append(
                    Diagnostic(
                        SettingsRule.missingWindow, "expected an object with a \"window\" such as \"08:00-18:00\"",
                        at: entry.range))
                continue
            }
            var settings = base
            diagnostics += settings.decode(entry, among: Setting.scheduled, besides: "window")
            if let window = written.string.flatMap(DailyWindow.init) {
                schedule.append(ScheduledSettings(window: window, settings: settings))
            } else {
                diagnostics.append(
                    Diagnostic(
                        SettingsRule.unusableValue, "\"window\" is two times of the day, such as \"22:00-06:00\"",
                        at: written.range))
            }
        }
        return diagnostics
    }

    /// - Parameter other: a key that is not of these, and somebody else's to read.
    private mutating func decode(
        _ object: JSONValue, among all: [Setting], besides other: String
    ) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for member in object.members {
            let key = member.key.string ?? ""
            if key == other { continue }
            if let setting = all.first(where: { $0.name == key }) {
                guard !setting.apply(&self, member.value) else { continue }
                diagnostics.append(
                    Diagnostic(
                        SettingsRule.unusableValue, "\"\(setting.name)\" is \(setting.expected)", at: member.value.range
                    ))
            } else {
                diagnostics.append(
                    Diagnostic(
                        SettingsRule.unknownKey,
                        Setting.all.contains { $0.name == key }
                            ? "\"\(key)\" can't change with the time of the day"
                            : "there is no setting \(key.quotedForMessage())",
                        at: member.key.range,
                        hint: Setting.all.contains { $0.name == key }
                            ? "set it beside \"schedule\""
                            : nearestMatch(to: key, among: all.map(\.name) + [other]).map { "did you mean \"\($0)\"?" }
                    )
                )
            }
        }
        return diagnostics
    }
}

extension DiagnosticTextRenderer {
    fileprivate func lineWithHint(_ diagnostic: Diagnostic) -> String {
        line(diagnostic) + (diagnostic.hint.map { "; \($0)" } ?? "")
    }
}

/// One key of the file.
private struct Setting: Sendable {
    let name: String
    /// "a duration such as "30s"": what messages say of its value.
    let expected: String
    /// Takes a value, unless it is none that was expected.
    let apply: @Sendable (inout SessionSettings, JSONValue) -> Bool

    private init<Value>(
        _ name: String, _ expected: String, _ parse: @escaping @Sendable (JSONValue) -> Value?,
        set: @escaping @Sendable (inout SessionSettings, Value) -> Void
    ) {
        self.name = name
        self.expected = expected
        apply = { settings, value in
            guard let parsed = parse(value) else { return false }
            set(&settings, parsed)
            return true
        }
    }

    static let all: [Setting] = [
        count("maxConnections", 1...256) { $0.maximumConnections = $1 },
        count("connectionsPerHost", 1...256) { $0.connectionsPerHost = $1 },
        size("rateLimit") { $0.session.rateLimitBytesPerSecond = $1 },
        duration("idleTimeout") { $0.session.idleTimeout = $1 },
        duration("connectTimeout") { $0.session.connectTimeout = $1 },
        duration("transferTimeout") { $0.session.transferTimeout = $1 },
        size("minRate") { $0.session.minimumBytesPerSecond = $1 },
        count("retries", 0...1000) { $0.retries = $1 },
        Setting("split", "\"auto\", or a number of connections from 1 to 64", split) { $0.split = $1 },
        count("maxRedirects", 0...1000) { $0.redirects = $1 == 0 ? .refuse : .follow(limit: $1) },
        Setting("allowedSchemes", "an array of \"http\" and \"https\", at least one", schemes) {
            $0.session.allowedSchemes = $1
        },
        Setting(
            "httpVersion",
            "one of \(SessionConfiguration.HTTPVersion.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))",
            { $0.string.flatMap(SessionConfiguration.HTTPVersion.init) }
        ) { $0.session.httpVersion = $1 },
        Setting("proxy", "a proxy's URL, or \"\" for none", \.string) { $0.session.proxy = $1 },
        text("interface") { $0.session.interface = $1 },
        Setting(
            "trafficClass",
            "one of \(SessionConfiguration.TrafficClass.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))",
            { $0.string.flatMap(SessionConfiguration.TrafficClass.init) }
        ) { $0.session.trafficClass = $1 },
        file("caBundle") { $0.session.caBundlePath = $1 },
        Setting("userAgent", "a text without control characters", userAgent) { $0.session.userAgent = $1 },
        Setting(
            "headers", "an object of header names and their values, without those that are set for each request",
            headers
        ) { $0.session.headers = $1 },
        file("netrc") { $0.session.netrcPath = $1 },
        size("bodyBudget") { $0.bodyBudgetBytes = $1 },
        Setting("publicKeys", "an array of minisign's public keys, or of files with one, at least one", publicKeys) {
            $0.publicKeys = $1
        },
    ]

    /// What can change while a run goes on. The others are part of each request from the beginning.
    static let scheduled = all.filter { !["maxRedirects", "bodyBudget", "publicKeys"].contains($0.name) }

    // MARK: Kinds of value

    private static func count(
        _ name: String, _ range: ClosedRange<Int>, set: @escaping @Sendable (inout SessionSettings, Int) -> Void
    ) -> Setting {
        Setting(
            name, "a whole number from \(range.lowerBound) to \(range.upperBound)",
            { $0.integer.flatMap { range.contains($0) ? $0 : nil } }, set: set)
    }

    private static func size(
        _ name: String, set: @escaping @Sendable (inout SessionSettings, Int64) -> Void
    ) -> Setting {
        Setting(
            name, "a number of bytes, or a size such as \"512K\"; at least 1",
            { value in
                let bytes = value.integer ?? value.string.flatMap(parseSizeBytes)
                return bytes.flatMap { $0 > 0 ? Int64($0) : nil }
            }, set: set)
    }

    private static func duration(
        _ name: String, set: @escaping @Sendable (inout SessionSettings, Duration) -> Void
    ) -> Setting {
        Setting(
            name, "a duration such as \"30s\" or \"5m\"",
            { $0.string.flatMap(parseDuration).flatMap { $0 > .zero ? $0 : nil } }, set: set)
    }

    private static func text(
        _ name: String, set: @escaping @Sendable (inout SessionSettings, String) -> Void
    ) -> Setting {
        Setting(name, "a text that isn't empty", { $0.string.flatMap { $0.isEmpty ? nil : $0 } }, set: set)
    }

    /// A file that is missing, or a folder in its place, would fail every request, each with a message of libcurl's.
    private static func file(
        _ name: String, set: @escaping @Sendable (inout SessionSettings, String) -> Void
    ) -> Setting {
        Setting(
            name, "the path of a file that can be read",
            { $0.string.flatMap { isReadableFile($0) ? $0 : nil } }, set: set)
    }

    private static func isReadableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR && access(path, R_OK) == 0
    }

    @Sendable private static func split(_ value: JSONValue) -> SplitPolicy? {
        if value.string == "auto" { return SplitPolicy() }
        return value.integer.flatMap { count in
            SplitPolicy.connections.contains(count) ? SplitPolicy(maximumConnections: count) : nil
        }
    }

    @Sendable private static func schemes(_ value: JSONValue) -> Set<String>? {
        let schemes = value.elements.map { $0.string ?? "" }
        guard value.kind == .array, !schemes.isEmpty, schemes.allSatisfy(["http", "https"].contains) else { return nil }
        return Set(schemes)
    }

    @Sendable private static func publicKeys(_ value: JSONValue) -> [MinisignPublicKey]? {
        let keys = value.elements.map { $0.string.flatMap { try? PublicKeyOption.key($0) } }
        guard value.kind == .array, !keys.isEmpty, !keys.contains(nil) else { return nil }
        return keys.compactMap(\.self)
    }

    @Sendable private static func userAgent(_ value: JSONValue) -> String? {
        var fields = HeaderFields()
        return value.string.flatMap { fields.append("User-Agent", $0) ? $0 : nil }
    }

    @Sendable private static func headers(_ value: JSONValue) -> HeaderFields? {
        guard value.kind == .object else { return nil }
        var fields = HeaderFields()
        for member in value.members {
            guard let name = member.key.string, let text = member.value.string, fields.append(name, text) else {
                return nil
            }
        }
        return fields.first(of: FieldName.reserved) == nil ? fields : nil
    }
}
