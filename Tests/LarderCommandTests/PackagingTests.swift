import Glibc
import TestSupport
import Testing

/// What `make install` and `make deb` are made of; the package itself is tried by `.ci/check-package`.
@Suite struct PackagingTests {
    private static let packaging =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/.packaging"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func install(_ argument: String) async throws {
        var environment = ChildProcess.inheritedEnvironment
        environment["DESTDIR"] = directory["root"]
        environment["PREFIX"] = "/opt/larder"
        // As whoever lets nobody else read what they make.
        let result = try await ChildProcess.run(
            "sh", ["-c", "umask 077; exec \"$@\"", "sh", "\(Self.packaging)/install", argument],
            environment: environment)
        try #require(result.status == .exited(0) && result.errors.isEmpty, "\(result)")
    }

    @Test(arguments: ["nowhere", "folder", "text"]) func withoutAProgramNothingIsInstalled(name: String) async throws {
        try directory.makeDirectory("folder")
        try directory.write([], to: "text")
        let environment = ["DESTDIR": directory["root"], "PREFIX": "/usr", "PATH": "/usr/bin:/bin"]
        let result = try await ChildProcess.run(
            "\(Self.packaging)/install", [directory[name]], environment: environment, directory: directory.path)
        #expect(result.status == .exited(66) && result.errorText.contains("is no program"), "\(result)")
        #expect(access(directory["root"], F_OK) != 0)
    }

    /// What `make install PREFIX=$HOME/.local` does for somebody without root's rights, and for root.
    @Test func whatIsInstalledBeneathAHomeWorksThereAndStaysThere() async throws {
        let home = try directory.makeDirectory("a|b&co 100%")
        var environment = ["HOME": home, "PREFIX": "\(home)/.local", "PATH": "/usr/bin:/bin"]
        func run(_ command: String) async throws -> ChildProcess.Result {
            let result = try await ChildProcess.run("sh", ["-ec", command], environment: environment)
            try #require(result.status == .exited(0) && result.errors.isEmpty, "\(result)")
            return result
        }
        let hadSettings = access("/etc/default/larder", F_OK) == 0
        environment["LARDER"] = try LarderProgram.path
        _ = try await run("'\(Self.packaging)/install' \"$LARDER\"")
        #expect((access("/etc/default/larder", F_OK) == 0) == hadSettings)
        #expect(try await run("\"$PREFIX/bin/larder\" --version").outputText.hasPrefix("larder "))
        #expect(try await run("man -M \"$PREFIX/share/man\" -w larder-sync").outputText.contains("larder-sync.1"))
        let script = "share/bash-completion/completions/larder"
        #expect(
            try await run("bash -c 'source \"$PREFIX/\(script)\"; complete -p larder'").outputText.contains("larder"))
        let service = try await run("cat \"$PREFIX/lib/systemd/system/larder-refresh.service\"")
        // It has a blank, and a percent sign means something to systemd.
        #expect(service.outputText.contains("\nExecStart=\"\(home)%/.local/bin/larder\" refresh "), "\(service)")
        _ = try await run("sed '/^User=/d' \"$PREFIX/lib/systemd/system/larder-refresh.service\" >\"$HOME/a.service\"")
        _ = try await run("systemd-analyze verify --man=no \"$HOME/a.service\"; rm \"$HOME/a.service\"")
        _ = try await run("'\(Self.packaging)/install' --remove")
        #expect(try await run("find \"$HOME\" ! -type d").output.isEmpty)
    }

    /// No service could name the program there: nothing is installed, rather than all but what works.
    @Test(arguments: ["local", "~/.local", "/opt/\"one\"", "/opt/it's", "/opt/a\\b", "/opt/a\nb"])
    func aPrefixThatNoServiceCanNameIsRefused(prefix: String) async throws {
        let environment = ["DESTDIR": directory["root/"], "PREFIX": prefix, "PATH": "/usr/bin:/bin"]
        let result = try await ChildProcess.run(
            "\(Self.packaging)/install", [try LarderProgram.path], environment: environment)
        #expect(result.status == .exited(64) && result.errorText.contains("nothing is installed: PREFIX="), "\(result)")
        #expect(access(directory["root"], F_OK) != 0)
    }

    /// The files beneath the root, without it.
    private func installed() async throws -> Set<String> {
        let found = try await ChildProcess.run("find", [directory["root"], "!", "-type", "d", "-printf", "%P %m\n"])
        return Set(found.outputLines)
    }

    /// systemd would go on looking for a unit that isn't there.
    @Test func nothingIsTakenAwayWhileTheTimerIsEnabled() async throws {
        try await install(try LarderProgram.path)
        let files = try await installed()
        let link = directory["root/etc/systemd/system/timers.target.wants/larder-refresh.timer"]
        try directory.makeDirectory("root/etc/systemd/system/timers.target.wants")
        try check(symlink("/opt/larder/lib/systemd/system/larder-refresh.timer", link), "symlink")
        let environment = ["DESTDIR": directory["root"], "PREFIX": "/opt/larder", "PATH": "/usr/bin:/bin"]
        let refused = try await ChildProcess.run("\(Self.packaging)/install", ["--remove"], environment: environment)
        #expect(refused.status == .exited(1), "\(refused)")
        #expect(refused.errorText.contains("systemctl disable --now larder-refresh.timer"), "\(refused)")
        #expect(try await installed().isSuperset(of: files))
        // One of somebody else's says nothing of ours.
        unlink(link)
        try check(symlink("/usr/lib/systemd/system/larder-refresh.timer", link), "symlink")
        try await install("--remove")
    }

    @Test func whatIsInstalledCanBeTakenAway() async throws {
        try await install(try LarderProgram.path)
        let files = try await installed()
        for file in [
            "bin/larder 755", "share/man/man1/larder.1 644", "share/man/man1/larder-manifest-create.1 644",
            "share/bash-completion/completions/larder 644", "share/zsh/site-functions/_larder 644",
            "share/fish/vendor_completions.d/larder.fish 644", "lib/systemd/system/larder-refresh.service 644",
            "lib/systemd/system/larder-refresh.timer 644", "lib/sysusers.d/larder.conf 644",
        ] {
            #expect(files.contains("opt/larder/\(file)"), "\(file) of \(files.sorted())")
        }
        let closed = try await ChildProcess.run("find", [directory["root"], "-type", "d", "!", "-perm", "755"])
        #expect(closed.output.isEmpty, "\(closed)")
        let settings = "etc/default/larder"
        try directory.write("MANIFESTS=mine\n".utf8, to: "root/\(settings)")
        try await install(try LarderProgram.path)
        try await install("--remove")
        #expect(try await installed() == ["\(settings) 644"])
        #expect(String(decoding: try directory.read("root/\(settings)"), as: UTF8.self) == "MANIFESTS=mine\n")
    }

    /// Each setting that `--print-systemd` gives a service, but for what depends on the command line.
    @Test func thePackagesServiceIsLikeOneThatIsPrinted() async throws {
        let printed = try await LarderProgram.run(
            ["refresh", "m.json", "--library", directory["library"], "--print-systemd"])
        let own = ["Description=", "ExecStart=", "WorkingDirectory=", "User="]
        let settings = printed.outputLines.filter { line in
            line.contains("=") && !own.contains { line.hasPrefix($0) }
        }
        #expect(settings.count > 8)
        let units = try ["service", "timer"].map {
            String(decoding: try readFile("\(Self.packaging)/larder-refresh.\($0)"), as: UTF8.self)
        }.joined()
        for setting in settings { #expect(units.contains("\n\(setting)\n"), "\(setting)") }
    }

    @Test func systemdFindsNothingWrongWithThePackagesUnits() async throws {
        try await install(try LarderProgram.path)
        let units = directory["root/opt/larder/lib/systemd/system"]
        // Beneath this root there is the program, and no user larder.
        let service = String(decoding: try readFile("\(units)/larder-refresh.service"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("ExecStart=/") ? "ExecStart=\(directory["root"])\($0.dropFirst(10))" : String($0) }
            .filter { !$0.hasPrefix("User=") }
        let changed = try directory.write(service.joined(separator: "\n").utf8, to: "larder-refresh.service")
        let verdict = try await ChildProcess.run(
            "systemd-analyze", ["verify", "--man=no", changed, "\(units)/larder-refresh.timer"])
        #expect(verdict.status == .exited(0) && verdict.errors.isEmpty, "\(verdict)")
    }
}
