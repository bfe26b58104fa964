import CommandLineParsing
import Platform
import Transfer

/// What `--base` names.
enum BaseURL {
    /// Reads it, and tells where it hardly means what was meant: by RFC 3986 a relative URL replaces what stands behind the last slash.
    static func read(
        _ option: CommandOption<String?>, of parsed: ParsedCommand
    ) throws(TransferURLError) -> TransferURL? {
        guard let text = parsed[option] else { return nil }
        let url = try TransferURL(text)
        let name = String(decoding: url.lastPathComponent, as: UTF8.self)
        // What has an ending may be the manifest itself.
        let isSilent = parsed[OutputOptions.quiet] || parsed.command.name == RefreshCommand.command.name
        if !name.isEmpty, !name.contains("."), !isSilent {
            Console.writeError(
                "warning: --base \(url) doesn't end with a slash: relative URLs are looked up beside '\(escapedText(name))', not beneath it\n"
            )
        }
        return url
    }
}
