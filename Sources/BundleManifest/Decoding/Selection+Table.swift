extension Selection: Draft {
    static let table = ObjectTable<Selection>(
        "select",
        [
            Field(
                "maxBandwidth", .mostBandwidth,
                about: "Bits a second of the largest variant to take"
            ) { $0.maxBandwidth = $1 },
            Field(
                "minBandwidth", .leastBandwidth,
                about: "Bits a second of the smallest variant to take"
            ) { $0.minBandwidth = $1 },
            Field(
                "resolution", .resolution,
                about: "The largest picture to take, as WIDTHxHEIGHT"
            ) { $0.resolution = $1 },
            Field(
                "codecs", .list(of: .text, "codecs"),
                about: "Codecs that can be played, as RFC 6381 writes them; none: any"
            ) { $0.codecs = $1 },
            Field("frameRate", .number(1...1000), about: "The highest frame rate to take") { $0.frameRate = $1 },
            Field(
                "audio", .list(of: .text, "languages"),
                about: "Languages of audio (BCP 47); none: the default rendition"
            ) { $0.audio = $1 },
            Field(
                "subtitles", .list(of: .text, "languages"),
                about: "Languages of subtitles (BCP 47)"
            ) { $0.subtitles = $1 },
            Field(
                "all", .boolean,
                about: "Takes every variant and rendition; no other key goes with it"
            ) { $0.takesAll = $1 },
        ])
}
