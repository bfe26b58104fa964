import BundleManifest
import CommandLineParsing
import ContentLibrary
import Diagnostics
import Downloads
import Glibc
import Jobs
import ManifestChecks
import Platform
import Transfer

/// `larder validate`: tells what is wrong with manifests, where, and what to do about it.
struct ValidateCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    private static let ruleIDs = Completion.names { _ in RuleCatalogue.all.map(\.id) }

    private static let base = CommandOption<String?>.optional(
        "base", .text("URL"), help: "where relative URLs of a manifest from - lead")
    private static let severity = CommandOption<Severity>.value(
        "severity", .word(), default: .note, help: "leave out what is less than this")
    private static let allow = CommandOption<[String]>.list(
        "allow", .text("ID", completion: ruleIDs),
        help: "leave out the findings of this rule; one that is no error, or one of V")
    private static let denyWarnings = CommandOption<Bool>.flag("deny-warnings", help: "exit with 1 for warnings too")
    private static let against = CommandOption<String?>.optional(
        "against", .file("OLD-MANIFEST"), help: "also tell what was forgotten since that version")
    private static let maxFindings = CommandOption<Int>.value(
        "max-findings", .integer(0...1_000_000), default: 500, help: "print no more than these; all are counted")

    private static let fix = CommandOption<Bool>.flag(
        "fix", help: "rewrite files where that can't change the meaning")
    private static let diff = CommandOption<Bool>.flag(
        "diff",
        help: "print these fixes as a unified diff; secrets masked, in place of findings; without --fix change nothing")

    private static let format = CommandOption<ReportFormat>.value(
        "format", .word(), default: .text, help: "how findings are printed")
    private static let rules = CommandOption<Bool>.flag("rules", help: "list all rules; with --format json as an array")
    private static let explain = CommandOption<String?>.optional(
        "explain", .text("ID", completion: ruleIDs), help: "tell what a rule is about")
    private static let schema = CommandOption<Bool>.flag(
        "schema", help: "print the JSON Schema of manifests; for editors and other checkers")

    static let command = Command(
        "validate", summary: "tell what is wrong with manifests",
        description: """
            Checks manifests by the rules that sync follows, and tells all findings at once, each with its place and \
            the way out. Nothing is fetched but manifests that are URLs themselves, and nothing is changed without --fix. \
            What the manifests name is looked at with --online and --deep only.
            """,
        operands: [
            Operand(
                "MANIFEST", .any, help: "a file, a pattern, a folder (every *.json in it), an http(s) URL, or -",
                completion: .files)
        ],
        groups: [
            OptionGroup("Findings", severity, allow, denyWarnings, maxFindings, base, against)
                .naming(severity, maxFindings, base, against),
            ContentOptions.group,
            OptionGroup("Fixes", fix, diff),
            OptionGroup("Output", format, OutputOptions.color, OutputOptions.quiet, rules, explain, schema)
                .naming(OutputOptions.color, OutputOptions.quiet, schema),
        ],
        examples: [
            Example("larder validate museum.json", "What is wrong, with the code and a hint."),
            Example("larder validate manifests/ --format github --deny-warnings", "In a workflow, for a whole folder."),
            Example("larder validate museum.json --diff", "What --fix would change; with --fix, what it changes."),
            Example("larder validate museum.json --online --deep", "Also whether servers and files agree with it."),
        ],
        exitCodes: Jobs.ExitCode.values(.success, .failure, .usage, .unreadable, .interrupted, .terminated),
        exitMeanings: Jobs.ExitCode.meant([
            .success: "no errors", .failure: "errors were found; warnings, too, with --deny-warnings",
            .unreadable: "a manifest, or the library, isn't there or can't be read", .interrupted: "stopped by SIGINT",
            .terminated: "stopped by SIGTERM",
        ]))

    func run() async -> Jobs.ExitCode {
        do {
            if let id = parsed[Self.explain] {
                let rule = try rule(id)
                Console.write(parsed[Self.format] == .json ? RuleText.json(of: rule) : RuleText.explanation(of: rule))
            } else if parsed[Self.rules] {
                Console.write(parsed[Self.format] == .json ? RuleText.jsonList : RuleText.list)
            } else if parsed[Self.schema] {
                Console.write(ManifestSchema.text)
            } else {
                return try await validate()
            }
            return .success
        } catch let problem as SettingsProblem {
            return problem.tell()
        } catch let error as SystemError {
            Console.writeError("larder: \(error)\n")
            return .failure
        } catch {
            Console.writeError("larder: \(error)\n")
            return .usage
        }
    }

    private func rule(_ id: String) throws(UsageError) -> RuleDescription {
        if let rule = RuleCatalogue.all.first(where: { $0.id == id.uppercased() }) { return rule }
        throw parsed.usageError("there is no rule \(id.quotedForMessage()); --rules lists them")
    }

    /// The ids of `--allow`. An error stays one, but for what is only one beside an older version: that may be meant.
    private func allowed() throws(UsageError) -> Set<String> {
        var ids: Set<String> = []
        for id in parsed[Self.allow] {
            let rule = try rule(id)
            guard rule.severity != .error || rule.id.hasPrefix("V") else {
                throw parsed.usageError("\(rule.id) is an error; only those of V can be allowed")
            }
            ids.insert(rule.id)
        }
        return ids
    }

    private func validate() async throws -> Jobs.ExitCode {
        guard !parsed.operands.isEmpty else { throw parsed.usageError("MANIFEST is missing") }
        let filter = FindingFilter(
            least: parsed[Self.severity], allowed: try allowed(), limit: parsed[Self.maxFindings])
        let base = try BaseURL.read(Self.base, of: parsed)
        let usesColor = parsed[OutputOptions.color].usesColor(on: STDOUT_FILENO)
        var report = ValidationReport(filter, parsed[Self.format].printer(usesColor: usesColor))
        var locations: [ManifestLocation] = []
        var named: Set<ManifestLocation> = []
        for operand in parsed.operands {
            do {
                let found = try ManifestInputs.locations(operand, base: base) { report.addUnreadable($0) }
                locations += found.filter { named.insert($0).inserted }
            } catch let error as TransferURLError {
                throw error
            } catch {
                report.addUnreadable("\(error)")
            }
        }
        guard parsed[Self.against] == nil || locations.count <= 1 else {
            throw parsed.usageError("--against compares one manifest, and \(locations.count) are given")
        }
        try await check(locations, &report)
        return finish(report)
    }

    private func check(_ locations: [ManifestLocation], _ report: inout ValidationReport) async throws {
        let plan = try ContentOptions.transferPlan(parsed)
        let configuration = plan.configuration(atMinute: Timestamp.now.localMinuteOfDay)
        let control = RunControl()
        let validator = try ManifestValidator(
            configuration, redirects: plan.settings.redirects, control: control)
        let progress = Locked((checked: 0, current: ""))
        StopSignals.start(control) { [count = locations.count] in
            let (checked, current) = progress.withLock { $0 }
            Console.writeError(
                "\(checked) of \(HumanQuantity.count(count, "manifest", "manifests")) checked\(current)\n")
        }
        let watch = ContentOptions.areGiven(parsed) ? RunWatch(control) : nil
        defer { withExtendedLifetime(watch) {} }
        let content = ContentOptions.checks(parsed, configuration, plan.settings.redirects, control) {
            report.addUnreadable($0)
        }
        let old = await older(validator, &report)
        let published = published(&report)
        for location in locations where control.reason == nil {
            progress.withLock { $0.current = ", at \(location)" }
            defer { progress.withLock { $0 = ($0.checked + 1, "") } }
            do {
                if let validated = try await validator.validate(location) {
                    let fixed = fix(validated, &report)
                    let compared = old.map(fixed.compared) ?? fixed
                    let known = try published?.older(than: compared).map(compared.compared) ?? compared
                    let findings = report.add(await content.checked(known))
                    if !parsed[Self.diff] { Console.write(findings) }
                }
            } catch {
                report.addUnreadable("\(error)")
            }
        }
        await content.end()
        await validator.end()
        report.stopped = control.reason?.exit
    }

    /// What `--against` names. One that can't be used is told, and the manifest is checked all the same.
    private func older(_ validator: ManifestValidator, _ report: inout ValidationReport) async -> ValidatedManifest? {
        guard let argument = parsed[Self.against] else { return nil }
        do {
            let old = try await validator.validate(try ManifestLocation(argument))
            if let old, !old.decoded.isValid {
                report.addUnreadable(
                    "\(old.location): the older manifest isn't valid; validate it by itself to see why")
            }
            return old
        } catch {
            report.addUnreadable("\(error)")
            return nil
        }
    }

    /// What is published in `--library`. One that can't be read is told, and the manifests are checked all the same.
    private func published(_ report: inout ValidationReport) -> PublishedManifests? {
        guard let path = parsed[ContentOptions.library] else { return nil }
        do throws(LibraryError) { return try PublishedManifests(library: path) } catch {
            // One that only the environment names may not be made yet: it has published nothing.
            guard error.code != .notALibrary || Environment.variables["LARDER_LIBRARY"] != path else { return nil }
            report.addUnreadable(error.message)
            return nil
        }
    }

    /// - Returns: what its findings are about from now on.
    private func fix(_ validated: ValidatedManifest, _ report: inout ValidationReport) -> ValidatedManifest {
        guard parsed[Self.fix] || parsed[Self.diff], let fixed = validated.fixed() else { return validated }
        if parsed[Self.diff] { show(fixed, insteadOf: validated) }
        guard parsed[Self.fix] else { return validated }
        guard validated.location.isFile else {
            report.addUnreadable("\(validated.location): --fix rewrites files; --diff shows what it would change here")
            return validated
        }
        do throws(SystemError) {
            try ManifestFile.replace(
                validated.location, holding: validated.source.bytes, with: fixed.source.bytes)
            report.fixed.append(validated.source.name)
            if let stale = ManifestFile.staleSignature(of: validated.location) {
                Console.writeError("warning: \(stale)\n")
            }
            return fixed
        } catch {
            report.addUnreadable("\(validated.source.name): the fixes can't be written: \(error)")
            return validated
        }
    }

    private func show(_ fixed: ValidatedManifest, insteadOf validated: ValidatedManifest) {
        let old = validated.source.masked(validated.diagnostics)
        let new = fixed.source.masked(fixed.diagnostics)
        Console.write(LineDiff(name: validated.source.name, old: old, new: new))
    }

    private func finish(_ finished: ValidationReport) -> Jobs.ExitCode {
        var report = finished
        if !parsed[Self.diff] { Console.write(report.finish()) }
        for line in report.unreadable { Console.writeError("larder: \(line)\n") }
        if !parsed[OutputOptions.quiet] { Console.writeError(report.summary + "\n") }
        return report.exit(denyingWarnings: parsed[Self.denyWarnings])
    }
}
