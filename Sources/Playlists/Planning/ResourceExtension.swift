/// The extensions that players go by. ffmpeg opens no others of local playlists unless it is told to.
enum ResourceExtension {
    /// A key is loaded like a segment, and what it is isn't looked at.
    static let ofKeys = "ts"

    private static let known: Set = [
        "aac", "ac3", "eac3", "jpg", "m4a", "m4s", "m4v", "mp3", "mp4", "png", "ts", "vtt",
    ]
    private static let synonyms = [
        "cmfa": "m4s", "cmft": "m4s", "cmfv": "m4s", "ec3": "eac3", "jpeg": "jpg", "m2ts": "ts", "mpegts": "ts",
        "webvtt": "vtt",
    ]

    /// Nil where the URL tells none that players know.
    static func ofSegment(_ url: String) -> String? {
        let suffix = LocalName.pathExtension(url)
        return known.contains(suffix) ? suffix : synonyms[suffix]
    }

    /// Initialization sections are mostly of the ISO base media file format (RFC 8216 §3.3).
    static func ofSection(_ url: String) -> String { ofSegment(url) ?? "mp4" }
}
