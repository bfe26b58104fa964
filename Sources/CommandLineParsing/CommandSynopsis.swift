/// How a command is called.
struct CommandSynopsis {
    private let command: Command
    private let program: String

    init(_ command: Command, of program: String) { (self.command, self.program) = (command, program) }

    /// `Usage: larder fetch [OPTION]… URL`.
    var line: String { (["Usage:", program, command.name, "[OPTION]…"] + required + operands).joined(separator: " ") }

    /// The options that must be given.
    var required: [String] {
        command.options.filter { $0.isRequired && $0.environment == nil }
            .map { "--\($0.name) \($0.argument?.placeholder ?? "")" }
    }

    var operands: [String] {
        command.operands.map { operand in
            switch operand.arity {
            case .one: operand.name
            case .optional: "[\(operand.name)]"
            case .oneOrMore: "\(operand.name)…"
            case .any: "[\(operand.name)]…"
            }
        }
    }
}
