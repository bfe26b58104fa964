import BundleManifest
import CommandLineParsing
import ContentLibrary
import Glibc
import Jobs
import ManifestAuthoring
import Platform

/// What the commands that make manifests of files are told alike.
struct CreationArguments {
    let parsed: ParsedCommand

    static let (include, exclude) = (PatternOptions.include, PatternOptions.exclude)

    /// A place for a file that a user named.
    struct OutputPlace {
        let path: String
        let directory: Directory
        let name: RelativePath
        /// The file that is there so far.
        let replaced: FileStatus?

        /// That file's, if there is one.
        var mode: mode_t { replaced.map { $0.mode & 0o777 } ?? 0o644 }
        var owner: (user: uid_t, group: gid_t)? { replaced.map { ($0.userID, $0.groupID) } }

        /// Whether the file that is there is this one already: then it stays as it is, and so does its signature.
        func holds(_ digest: SHA256Digest) -> Bool {
            guard replaced != nil, let file = try? directory.open(name, flags: O_RDONLY | O_NONBLOCK) else {
                return false
            }
            let hasher = SHA256()
            return (try? hasher.update(from: file)) != nil && hasher.finalize() == digest
        }
    }

    func sources(_ operands: some Sequence<String>) throws -> ManifestSources {
        // What isn't UTF-8 has become something else by now, which may be there as well.
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            throw parsed.usageError(
                "'\(escapedText(String(cString: argument)))' is not UTF-8, and no manifest can name it")
        }
        return try ManifestSources(Array(operands))
    }

    /// Where the manifest goes; nil: to standard output.
    func outputPlace(_ path: String) throws -> OutputPlace? {
        guard path != "-" else { return nil }
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw parsed.usageError("--output '\(escapedText(path))' names no file: write FOLDER/NAME.json")
        }
        if let library = Library.around(path) {
            throw parsed.usageError(
                "--output '\(escapedText(path))' lies in the library \(escapedText(library)), where nothing else may be written; name a place outside of it"
            )
        }
        let (directory, name, replaced) = try Directory.placeForFile(named: path)
        // Before hours are spent on what can't be put there.
        try directory.checkIsWritable()
        guard replaced != nil else {
            return OutputPlace(path: path, directory: directory, name: name, replaced: nil)
        }
        let there = try ManifestFile.place(of: .file(path: path), insteadOfChanging: "-o takes another place")
        return OutputPlace(path: path, directory: there.directory, name: there.name, replaced: there.status)
    }

    func selection(leavingOut outputs: [FileStatus]) throws(UsageError) -> FileSelection {
        func patterns(_ option: CommandOption<[String]>) throws(UsageError) -> [PathPattern] {
            var patterns: [PathPattern] = []
            for text in parsed[option] {
                do throws(PathPatternProblem) { patterns.append(try PathPattern(text)) } catch {
                    throw parsed.usageError("--\(option.definition.name) '\(escapedText(text))': \(error)")
                }
            }
            return patterns
        }
        return try FileSelection(
            included: patterns(Self.include), excluded: patterns(Self.exclude), outputs: outputs)
    }

    /// The manifest that is there already, and what belongs to it; or the file that standard output is.
    func outputs(at place: OutputPlace?) throws(SystemError) -> [FileStatus] {
        guard let place else {
            let status = try StandardStreams.outputStatus()
            return status.kind == .file ? [status] : []
        }
        return try Self.ownFiles(of: place.name, in: place.directory)
    }

    /// A manifest, its signature, and what processes left that were killed while they wrote it.
    static func ownFiles(of name: RelativePath, in directory: Directory) throws(SystemError) -> [FileStatus] {
        let signature = try? RelativePath(name.bytes + Array(".minisig".utf8))
        let leftovers = try directory.temporarySiblings(of: name)
        var files: [FileStatus] = []
        for name in [name, signature].compactMap(\.self) + leftovers {
            if let status = try directory.status(of: name), status.kind == .file { files.append(status) }
        }
        return files
    }

    /// The folder that a manifest lies in, behind links, as bytes without a slash at the end: what its relative URLs are relative to.
    static func folder(ofManifest path: String) -> [UInt8] {
        let path = absolutePath(path)
        let parent = path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
        return ResolvedPath(parent.isEmpty ? "/" : String(parent)).bytes
    }

    /// Without mirrors URLs are relative to where the manifest lies.
    static func setBase(of sources: inout ManifestSources, to folder: [UInt8], _ observer: CreationObserver) {
        if !sources.setBase(folder) { observer.warn(warning(ofBase: sources.base, insteadOf: folder)) }
    }

    /// What is told where URLs can't be relative to where the manifest lies, but are to another folder.
    static func warning(ofBase base: [UInt8], insteadOf folder: [UInt8]) -> String {
        let base = base.isEmpty ? "/" : escapedText(base)
        return
            "not all lies beneath \(folder.isEmpty ? "/" : escapedText(folder)), where the manifest goes: its URLs are relative to \(base), and lead nowhere unless it is served from there; say with --base where the files will be"
    }

    /// Writes a manifest to its place, or to standard output.
    static func write(_ text: OwnedDescriptor, to place: OutputPlace?, _ style: OutputStyle) throws {
        if let place {
            let hasher = SHA256()
            _ = try hasher.update(from: text)
            guard !place.holds(hasher.finalize()) else { return tellUnchanged(place, style) }
            try place.directory.placeCopy(
                of: text, at: place.name, mode: place.mode, owner: place.owner, flush: false)
            tellStaleSignature(of: .file(path: place.path), style)
        } else {
            do throws(SystemError) { try Console.write(contentOf: text) } catch {
                // A reader that has gone has had enough.
                guard error.code == EPIPE else { throw error }
            }
        }
    }

    static func tellUnchanged(_ place: OutputPlace, _ style: OutputStyle) {
        guard !style.isQuiet else { return }
        Console.writeError("\(escapedText(place.path)) is what would be written, and stays as it is\n")
    }

    /// A signature of what was there before would refuse what is there now.
    static func tellStaleSignature(of location: ManifestLocation, _ style: OutputStyle) {
        guard let stale = ManifestFile.staleSignature(of: location) else { return }
        Console.writeError("\(style.warningLabel) \(stale)\n")
    }

    /// The id that is given, or else one made of a name.
    func id(_ given: String?, named name: [UInt8]) throws(UsageError) -> String {
        let id = given ?? BundleNames.slug(name)
        guard BundleID(id) != nil else {
            throw parsed.usageError("--id '\(escapedText(id))' is not [a-z0-9][a-z0-9._-]{0,63}")
        }
        return id
    }

    /// The values of `--base`, each once, with a slash at the end.
    func mirrors(_ texts: [String]) throws(UsageError) -> [String] {
        var mirrors: [String] = []
        for text in texts {
            let mirror = try mirror(text)
            if !mirrors.contains(mirror) { mirrors.append(mirror) }
        }
        return mirrors
    }

    /// The URL of a folder, as `--base` names it, with a slash at the end.
    func mirror(_ text: String) throws(UsageError) -> String {
        let shown = "--base '\(shownURL(text))'"
        let isAbsolute: Bool
        do throws(Problem) { isAbsolute = try URLRules.check(text, allowsFileURLs: false).isAbsolute } catch {
            throw parsed.usageError("\(shown): \(error.message)" + (error.hint.map { " (\($0))" } ?? ""))
        }
        guard isAbsolute, !text.utf8.contains(where: { "?#".utf8.contains($0) }) else {
            throw parsed.usageError("\(shown) is no http or https URL of a folder, without query")
        }
        return text.hasSuffix("/") ? text : text + "/"
    }

    /// https://reproducible-builds.org/specs/source-date-epoch/
    func created() throws(UsageError) -> Timestamp {
        guard let text = Environment.variables["SOURCE_DATE_EPOCH"], !text.isEmpty else { return .now }
        guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
            throw parsed.usageError("SOURCE_DATE_EPOCH is '\(escapedText(text))', and not a number of seconds")
        }
        return Timestamp(seconds: seconds)
    }
}
