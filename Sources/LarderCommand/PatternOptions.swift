import CommandLineParsing

/// The options of all commands that take a part of what they find.
enum PatternOptions {
    static let include = CommandOption<[String]>.repeated(
        "include", .text("PATTERN"), help: "what to take, as .gitignore writes it")
    static let exclude = CommandOption<[String]>.repeated(
        "exclude", .text("PATTERN"), help: "what to leave out, stronger than --include")
}
