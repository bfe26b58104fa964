import ContentLibrary
import Diagnostics
import Glibc
import Platform

extension ScheduledCommand {
    /// One of systemd's unit files.
    struct Unit {
        let name: String
        let text: String
    }

    /// The service, and the timer that starts it. Paused (3) is no failure, nor is being stopped (130, 143), as when the machine is shut down.
    /// - Throws: where systemd couldn't start it.
    private func systemdUnits() throws(Problem) -> [Unit] {
        try checkDirectory()
        // It takes no program with quotes in its name, and unescapes nothing there.
        let start = Self.isPlain(program) ? [program] : ["/bin/sh", "-c", "exec \"$0\" \"$@\"", program]
        let command = (start + arguments).map(Self.systemdQuoted).joined(separator: " ")
        // A backslash there would take the next line into this one.
        let lineEnd = escapedText(library) + (library.hasSuffix("\\") ? "/" : "")
        let service = """
            [Unit]
            Description=Refresh the media in \(Self.specifierEscaped(lineEnd))
            Documentation=man:larder-refresh(1)
            Wants=network-online.target
            After=network-online.target

            [Service]
            Type=oneshot
            User=\(user)
            WorkingDirectory=\(Self.specifierEscaped(directory))
            ExecStart=\(command)
            SuccessExitStatus=3 130 143
            Nice=10
            IOSchedulingClass=idle
            NoNewPrivileges=yes
            ProtectSystem=full

            """
        let timer = """
            [Unit]
            Description=Refresh the media in \(Self.specifierEscaped(escapedText(library))), again and again
            Documentation=man:larder-refresh(1)

            [Timer]
            OnCalendar=\(window.map(Self.calendar) ?? "hourly")
            RandomizedDelaySec=\(window == nil ? "10m" : "1m")
            Persistent=true

            [Install]
            WantedBy=timers.target

            """
        return [Unit(name: "\(name).service", text: service), Unit(name: "\(name).timer", text: timer)]
    }

    /// Both, each after a line that says where it goes.
    var systemdText: String {
        get throws(Problem) {
            try systemdUnits().map { "# /etc/systemd/system/\($0.name)\n\($0.text)" }.joined(separator: "\n")
        }
    }

    /// Writes both into a folder, which is made when missing. Nobody else may read them where an argument has a login or the like.
    /// - Returns: their paths.
    func writeSystemdUnits(into folder: String) throws -> [String] {
        if let around = Library.around(folder, unmade: library) {
            throw Problem(
                description:
                    "\(escapedText(folder)) lies in the library \(escapedText(around)), where nothing else may be written; name a folder outside of it"
            )
        }
        let units = try systemdUnits()
        let hasSecret = arguments.contains(where: Self.hasSecret)
        _ = try Directory.open(folder, create: true)
        return try units.map { unit in
            let path = "\(folder)/\(unit.name)"
            let (place, name, replaced) = try Directory.placeForFile(named: path)
            let mode = replaced.map { $0.mode & 0o777 } ?? 0o644
            try place.replaceFile(
                name, with: Array(unit.text.utf8), mode: hasSecret ? mode & 0o600 : mode, flush: false)
            return path
        }
    }

    /// A login in a URL, a signed query, or what else findings hide.
    private static func hasSecret(_ argument: String) -> Bool {
        let source = SourceText(name: "", text: argument)
        return !SecretRanges(source, []).ranges(in: 0..<source.bytes.count).isEmpty
    }

    /// systemd goes to the directory as the user, and knows no way to write a line break in its path.
    private func checkDirectory() throws(Problem) {
        try checkIsSomewhere()
        guard !directory.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw Problem(
                description:
                    "no unit can name \(escapedText(directory)), for its control characters: run this elsewhere")
        }
        if let closed = closedFolder {
            throw Problem(
                description:
                    "the library's owner, \(user), would be started here, and can't enter \(escapedText(closed)): run this in a directory that is open to \(user), such as /, with full paths"
            )
        }
    }

    /// The first folder on the way to the directory that the user can't enter. What an access list says isn't asked.
    private var closedFolder: String? {
        // Whoever asks for the units is here, and nothing is closed to root.
        guard userID != geteuid(), userID != 0 else { return nil }
        let groups = UserGroups.groups(of: userID)
        var folder = ""
        for part in directory.split(separator: "/") {
            folder += "/\(part)"
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            let entering: mode_t =
                status.st_uid == userID ? 0o100 : groups.contains(status.st_gid) ? 0o010 : 0o001
            if status.st_mode & entering == 0 { return folder }
        }
        return nil
    }

    /// systemd.service(5), "Command lines": quoted, with `%` and `$` doubled, and bytes of controls as `\xNN`.
    private static func systemdQuoted(_ text: String) -> String {
        var quoted = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\", "\"": quoted += "\\\(character)"
            case "$": quoted += "$$"
            case "%": quoted += "%%"
            case _ where character.isUnsafeInMessages: quoted += String(character).utf8.map(escapedByte).joined()
            default: quoted.unicodeScalars.append(character)
            }
        }
        return isPlain(text) ? text : "\"\(quoted)\""
    }

    private static func specifierEscaped(_ text: String) -> String {
        text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }

    private static func calendar(_ window: DailyWindow) -> String {
        "*-*-* \(window.startHours.map(twoDigits).joined(separator: ",")):\(twoDigits(window.startMinute % 60)):00"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// `larder-refresh-srv-media-museum-1a2b3c4d`: paths as `systemd-escape --path` makes names of them, for people, and what tells apart manifests of one
    /// name from different places.
    static func unitName(of library: String, _ manifests: [String]) -> String {
        let parts = [library] + manifests.map(shortName)
        let path = parts.joined(separator: "/").split(separator: "/").joined(separator: "/")
        let places = [library] + manifests.map { $0.contains("://") || $0 == "-" ? $0 : absolutePath($0) }
        let digest = SHA256.digest(of: places.joined(separator: "\0").utf8).description
        let name = "larder-refresh-\(systemdEscaped(path))-\(digest.prefix(8))"
        // systemd takes 255 bytes, with the suffix; so do most file systems.
        return name.utf8.count > 240 ? "larder-refresh-\(digest.prefix(16))" : name
    }

    /// systemd.unit(5), "String Escaping for Inclusion in Unit Names".
    private static func systemdEscaped(_ path: String) -> String {
        var escaped = ""
        for (position, byte) in path.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "/"): escaped += "-"
            case UInt8(ascii: ".") where position == 0: escaped += "\\x2e"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."):
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            default: escaped += escapedByte(byte)
            }
        }
        return escaped
    }

    private static func escapedByte(_ byte: UInt8) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// A manifest's file name, without its ending and whatever a URL has behind it.
    private static func shortName(of manifest: String) -> String {
        let isURL = manifest.contains("://")
        let path = isURL ? manifest.prefix { $0 != "?" && $0 != "#" } : manifest[...]
        let name = path.split(separator: "/").last ?? ""
        return String(name.hasSuffix(".json") ? name.dropLast(5) : name)
    }
}
