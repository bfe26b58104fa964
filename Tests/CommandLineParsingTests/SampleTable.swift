import CommandLineParsing

/// A program with a bit of everything.
enum Sample {
    enum Color: String, CaseIterable, Sendable {
        case auto, always, never
    }

    static let library = CommandOption.required(
        "library", short: "l", .folder(), environment: "SAMPLE_LIBRARY", help: "the library; created if missing")
    static let jobs = CommandOption.value("jobs", short: "j", .integer(1...64), default: 8, help: "transfers at once")
    static let limitRate = CommandOption.optional("limit-rate", .size, help: "bytes a second for the run as a whole")
    static let minFree = CommandOption.value(
        "min-free", .sizeOrPercent, default: .percent(5), help: "keep this much disk free")
    static let deadline = CommandOption.optional("deadline", .duration, help: "pause everything after this long")
    static let only = CommandOption.list(
        "only", .text("ID", completion: .names { ["\($0.text(of: library) ?? "none").film", "guide"] }),
        help: "these bundles alone; all others stay")
    static let dryRun = CommandOption.flag("dry-run", short: "n", help: "tell what would be done and do nothing")
    static let quiet = CommandOption.flag("quiet", short: "q", help: "say nothing")
    static let color = CommandOption.value("color", .word(), default: Color.auto, help: "colors in the output")
    static let output = CommandOption.optional("output", short: "o", .file("FILE|-"), help: "where to write")

    static let header = CommandOption.repeated("header", .text("NAME: VALUE"), help: "an extra request header")

    static let display = OptionGroup("Output", quiet, color)

    static let table = CommandTable(
        program: "sample", summary: "Keeps a library.",
        commands: [
            Command(
                "sync", summary: "bring a library up to date",
                description: "Fetches what is missing in a library, verifies and unpacks it, and publishes the result.",
                operands: [Operand("MANIFEST", .oneOrMore, help: "a path, a URL or -", completion: .files)],
                groups: [
                    OptionGroup("Library", library, minFree, only, dryRun),
                    OptionGroup("Transfers", jobs, limitRate, deadline), display,
                ],
                examples: [Example("sample sync m.json --library /srv/media", "Everything the manifest names.")],
                exitCodes: [0, 1, 64]),
            Command(
                "fetch", summary: "fetch one URL", description: "Fetches one URL into a file.",
                operands: [Operand("URL", help: "what to fetch"), Operand("NAME", .optional, help: "what to call it")],
                groups: [OptionGroup("Transfers", output, header), display], exitCodes: [0, 64]),
            Command(
                "manifest create", summary: "make a manifest", description: "Makes a manifest.", exitCodes: [0]),
            Command(
                "manifest sign", summary: "sign a manifest", description: "Signs a manifest.", exitCodes: [0]),
            Command(
                "watch", summary: "sync again and again", description: "Syncs every hour.",
                groups: [OptionGroup("Library", library, only).asIn("sync"), display], exitCodes: [0]),
            Command("--spell", summary: "print a spell", description: "Prints a spell.", exitCodes: [0]),
            Command("--secret", summary: "x", description: "x", exitCodes: [0], isHidden: true),
        ],
        groupSummaries: ["manifest": "make and sign manifests"],
        exitCodes: [
            ExitCode(0, "all done, or nothing to do"), ExitCode(1, "nothing could be published"),
            ExitCode(64, "wrong usage"),
        ])
}
