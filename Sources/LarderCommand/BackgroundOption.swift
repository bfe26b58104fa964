import CommandLineParsing

/// The option that all commands with long work share.
enum BackgroundOption {
    static let background = CommandOption<Bool>.flag(
        "background",
        help: "step aside for others; processor, disk and network are used only as far as nobody else wants them")
}
