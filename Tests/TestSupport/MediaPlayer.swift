/// ffmpeg, as the player that copies are tried with: by default without any option.
package enum MediaPlayer {
    /// Digests of all frames of all streams, a line each: what a player would get.
    ///
    /// - Parameters:
    ///   - isOffline: whether the network is taken away from it.
    ///   - options: what it needs to be told of an original.
    /// - Throws: `PlaybackFailed` when it complains of anything, or there is nothing to play.
    package static func frames(of input: String, isOffline: Bool, _ options: [String] = []) async throws -> String {
        let output = try await run(
            ["ffmpeg", "-nostdin", "-v", "error"] + options
                + ["-i", input, "-map", "0", "-c", "copy", "-f", "framemd5", "-"], isOffline)
        let lines = output.split(separator: "\n").filter { !$0.hasPrefix("#") }
        guard !lines.isEmpty else { throw PlaybackFailed(what: "no frames in \(input)") }
        return lines.joined(separator: "\n")
    }

    /// Of each stream its type and how many frames could be decoded, a line each.
    package static func frameCounts(
        of input: String, isOffline: Bool, _ options: [String] = []
    ) async throws -> String {
        try await run(
            ["ffprobe", "-v", "error"] + options
                + ["-count_frames", "-show_entries", "stream=index,codec_type,nb_read_frames", "-of", "csv", input],
            isOffline)
    }

    private static func run(_ command: [String], _ isOffline: Bool) async throws -> String {
        let command = (isOffline ? ["unshare", "--map-root-user", "--net"] : []) + command
        let result = try await ChildProcess.run(command[0], Array(command.dropFirst()))
        guard result.status == .exited(0), result.errorText.isEmpty else { throw PlaybackFailed(what: "\(result)") }
        return result.outputText
    }
}

package struct PlaybackFailed: Error, CustomStringConvertible {
    package let what: String

    package var description: String { "ffmpeg can't play it: \(what)" }
}
