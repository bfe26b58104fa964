import CLinux
import Glibc

/// How a program comes to run, in a process of its own or in the place of this one.
package enum ProcessStart {
    /// Starts a program whose descriptors 0, 1, 2, … are the given ones: it gets no other of ours, no blocked signal, and none ignored.
    /// - Parameters:
    ///   - command: a path, or a name that is looked up in `PATH`, and its arguments.
    ///   - environment: `NAME=VALUE` each, in bytes: what isn't UTF-8 is handed on as it is.
    ///   - descriptors: nil for one that has nothing to read and takes all that is written. One that is given behind its own place must not be the
    ///     target of an earlier one.
    ///   - hasOwnGroup: whether signals of our terminal spare it.
    package static func spawn(
        _ command: [String], environment: [[UInt8]], descriptors: [Int32?], hasOwnGroup: Bool = false
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in descriptors.enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(place), "/dev/null", O_RDWR, 0)
            }
        }
        // Not all of the libraries' descriptors close by themselves.
        larder_spawn_closing_from(&actions, Int32(descriptors.count))
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process: pid_t = 0
        let code = withCStrings(command.map { Array($0.utf8) }) { arguments in
            withCStrings(environment) { environment in
                posix_spawnp(&process, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError(code: code, operation: "start", subject: escapedText(command[0])) }
        return process
    }

    /// Puts a program into the place of this one: it has our number, our terminal, and gets our signals. To be called before there are threads, and
    /// before signals are blocked or ignored, since it inherits that.
    /// - Parameters:
    ///   - command: as bytes, as it was given to us.
    ///   - variables: put over our own environment.
    ///   - inherited: stays open, with the locks that are held on it, until the program, and all that it starts, closes it or ends.
    /// - Returns: why that can't be; else not at all.
    package static func replaceThisProcess(
        by command: [[UInt8]], variables: [String: String], inheriting inherited: OwnedDescriptor
    ) -> SystemError {
        for (name, value) in variables { setenv(name, value, 1) }
        return withExtendedLifetime(inherited) {
            guard fcntl(inherited.rawValue, F_SETFD, 0) == 0 else { return .last("hand on", inherited.name) }
            var code = withCStrings(command) { arguments in
                _ = execvp(command[0].map { CChar(bitPattern: $0) } + [0], arguments)
                return errno
            }
            // A folder of `PATH` that may not be looked into is no program that may not be run.
            if code == EACCES, !isSomewhere(command[0]) { code = ENOENT }
            return SystemError(code: code, operation: "start", subject: escapedText(command[0]))
        }
    }

    /// Whether there is such a file, be it a path or beneath a folder of `PATH`, as far as it can be seen.
    private static func isSomewhere(_ name: [UInt8]) -> Bool {
        let slash = UInt8(ascii: "/")
        if name.contains(slash) { return true }
        let folders = getenv("PATH").map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
        return folders.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).contains { folder in
            access((folder + [slash] + name).map { CChar(bitPattern: $0) } + [0], F_OK) == 0
        }
    }

    /// Our own environment with some variables put over it.
    package static func environment(with variables: [String: String]) -> [[UInt8]] {
        let replaced = Set(variables.keys.map { Array($0.utf8) })
        var entries: [[UInt8]] = []
        var entry = larder_environment()
        while let text = entry?.pointee {
            let bytes = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
            if !replaced.contains(Array(bytes.prefix { $0 != UInt8(ascii: "=") })) { entries.append(bytes) }
            entry = entry?.advanced(by: 1)
        }
        return entries + variables.map { "\($0)=\($1)" }.sorted().map { Array($0.utf8) }
    }

    /// Lends a null-terminated array of C strings.
    private static func withCStrings<Result>(
        _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
