import Platform

/// What gzip makes of `content`.
func gzip(_ content: [UInt8], _ options: String...) async throws -> [UInt8] {
    let scratch = try Scratch()
    try scratch.target.replaceFile("data", with: content, flush: false)
    try await runTool(["gzip"] + options + ["data"], in: scratch.targetPath)
    return try scratch.target.readFile("data.gz", limitBytes: 1 << 24)
}
