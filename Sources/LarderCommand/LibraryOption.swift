import CommandLineParsing

/// The option of all commands that work with a library which is there.
enum LibraryOption {
    static let library = CommandOption<String>.required(
        "library", short: "l", .folder(), environment: "LARDER_LIBRARY", help: "the content library")
}
