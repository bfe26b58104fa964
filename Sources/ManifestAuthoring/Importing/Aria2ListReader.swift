import Diagnostics
import Platform

/// Reads what aria2 takes with `--input-file`, and writes with `--save-session`: a line of URLs of one file, with tabs between them, and beneath it
/// lines that begin with white space and hold an option each.
struct Aria2ListReader {
    private let input: ListInput
    private let intake: FileIntake
    private var entry: Entry?

    /// What aria2 calls a file whose URL names none.
    private static let indexName = "index.html"
    /// Options that hold a secret, or may.
    private static let secrets: Set<String> = [
        "header", "http-user", "http-passwd", "ftp-user", "ftp-passwd", "load-cookies", "certificate", "private-key",
        "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user", "http-proxy-passwd",
        "https-proxy", "https-proxy-user", "https-proxy-passwd", "referer", "user-agent",
    ]

    private struct Entry {
        var file: ListedFile
        var folder: String?
        var name: String?
    }

    static func read(_ input: ListInput, _ intake: FileIntake) throws(ImportProblem) {
        var reader = Aria2ListReader(input: input, intake: intake)
        while let line = try input.nextLine() {
            guard !line.utf8.starts(with: "#".utf8), !line.trimmed.isEmpty else { continue }
            if line.utf8.starts(with: " ".utf8) || line.utf8.starts(with: "\t".utf8) {
                try reader.addOption(line)
            } else {
                try reader.begin(line)
            }
        }
        try reader.end()
    }

    private mutating func begin(_ line: String) throws(ImportProblem) {
        try end()
        var file = ListedFile(line: input.lineNumber)
        file.urls = line.split(separator: "\t").map { String($0).trimmed }.filter { !$0.isEmpty }
        for why in file.urls.compactMap(SourceURL.whiteSpace) { intake.refuse(line: file.line, why) }
        file.fallbackName = Self.indexName
        entry = Entry(file: file)
    }

    private mutating func addOption(_ line: String) throws(ImportProblem) {
        let place = input.place(input.lineNumber)
        guard entry != nil else { throw .invalid("\(place): an option stands before the first URL") }
        guard let option = Aria2Option(line) else {
            throw .invalid("\(place): a line that begins with white space is an option, NAME=VALUE")
        }
        switch option.name {
        case "out": entry?.name = option.value
        case "dir": entry?.folder = option.value
        case "checksum":
            let parts = option.value.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2 else { throw .invalid("\(place): a checksum is written TYPE=DIGEST") }
            entry?.file.digests.append((parts[0], parts[1]))
        case _ where Self.secrets.contains(option.name):
            // Its value may be a secret, and is told nobody.
            intake.note(
                .headers, line: input.lineNumber,
                "\(option.name) is left out: headers and logins belong into \"headers\" and netrc of --config")
        default:
            intake.note(
                .options, line: input.lineNumber,
                "the option \(option.name.quotedForMessage()) is left out: a manifest has no such thing")
        }
    }

    private mutating func end() throws(ImportProblem) {
        guard var ended = entry else { return }
        entry = nil
        if let name = ended.name {
            ended.file.name = name
            if let folder = ended.folder, let beneath = path(of: folder, ended.file.line) {
                ended.file.name = name.utf8.starts(with: "/".utf8) ? name : beneath + name
            }
        } else if let folder = ended.folder {
            ended.file.folder = path(of: folder, ended.file.line)
        }
        try intake.take(ended.file)
    }

    /// What stands in front of names in a folder. An absolute one is a place on some machine, and says nothing of the bundle.
    private func path(of folder: String, _ line: Int) -> String? {
        guard !folder.utf8.starts(with: "/".utf8), !folder.utf8.starts(with: "~".utf8) else {
            intake.note(
                .folder, line: line, "dir \(folder.quotedForMessage()) is a place on one machine, and is left out")
            return nil
        }
        var rest = folder[...]
        while rest.utf8.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        while rest.utf8.last == UInt8(ascii: "/") { rest = rest.dropLast() }
        return rest.isEmpty || rest == "." ? nil : rest + "/"
    }
}
