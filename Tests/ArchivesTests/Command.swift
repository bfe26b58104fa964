import Glibc
import Platform

/// Runs another program and waits for its end.
/// - Parameter directory: where it runs.
/// - Returns: its exit status.
@discardableResult
func run(_ arguments: [String], in directory: String) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    // Changing the directory within the spawn is a GNU extension that Glibc's module map doesn't show.
    let arguments = ["env", "-C", directory] + arguments
    var vector = arguments.map { strdup($0) } + [nil]
    defer { vector.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawnp(&process, arguments[0], &actions, nil, &vector, environ)
    guard code == 0 else { throw SystemError(code: code, operation: "run", subject: arguments[0]) }
    var status: Int32 = 0
    guard retryingInterrupts({ waitpid(process, &status, 0) }) == process else {
        throw SystemError.last("wait for", arguments[0])
    }
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
}

/// Makes the same small tree of odd things for every archiver.
func makeSampleTree(_ directory: Directory) throws {
    func file(_ path: RelativePath, _ content: [UInt8], mode: mode_t = 0o644, seconds: Int64 = 1_700_000_001) throws {
        if let parent = path.parent { try directory.makeDirectories(parent) }
        let file = try directory.open(path, flags: O_WRONLY | O_CREAT | O_EXCL)
        try file.write(content)
        try file.setMode(mode)
        try file.setModificationTime(Timestamp(seconds: seconds))
    }
    try file("empty", [])
    try file("text.txt", Array(String(repeating: "all work and no play\n", count: 5_000).utf8))
    try file("noise.bin", noise(300_000))
    try file("bin/tool", Array("#!/bin/sh\n".utf8), mode: 0o755)
    try file("secret", [1], mode: 0o600)
    try file("größe/日本 語.txt", [2])
    try file("deep/er/and/deeper/file", [3], seconds: 1_000_000_000)
    try file(RelativePath(String(repeating: "long", count: 40)), [4])
    try file(RelativePath((0..<12).map { "directory-number-\($0)" }.joined(separator: "/") + "/leaf"), [5])
    try directory.makeDirectories("void/inner")
    try directory.makeSymbolicLink("deep/link", target: Array("../text.txt".utf8))
    try directory.makeSymbolicLink("dangling", target: Array("nowhere".utf8))
}
