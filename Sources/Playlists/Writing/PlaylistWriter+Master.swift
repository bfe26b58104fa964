extension PlaylistWriter {
    mutating func write(_ playlist: MasterPlaylist) {
        writeBasics(
            version: playlist.version, hasIndependentSegments: playlist.hasIndependentSegments, start: playlist.start)
        for data in playlist.sessionData { line(.sessionData, data.attributes, uri: data.uri) }
        for key in playlist.sessionKeys { line(.sessionKey, Self.attributes(of: key)) }
        for rendition in playlist.renditions { line(.media, rendition.attributes, uri: rendition.uri) }
        for variant in playlist.variants {
            line(.streamInformation, variant.attributes)
            text += variant.uri + "\n"
        }
        for stream in playlist.iFrameStreams { line(.iFrameStream, stream.attributes, uri: stream.uri) }
    }
}
