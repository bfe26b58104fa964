import Glibc
import Platform
import TestSupport
import Testing

/// Runs a real program, which must succeed.
func runTool(_ command: [String], in directory: String) async throws {
    let result = try await ChildProcess.run(
        command[0], Array(command.dropFirst()), directory: directory, within: .seconds(300))
    try #require(result.status == .exited(0), "\(command): \(result)")
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
    try file("noise.bin", deterministicBytes(300_000, seed: 1))
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
