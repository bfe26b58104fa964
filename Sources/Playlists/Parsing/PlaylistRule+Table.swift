import Diagnostics

/// The table of the rules.
extension PlaylistRule {
    package var row: Row {
        switch self {
        case .noHeader:
            (
                .error, "the text doesn't begin with #EXTM3U",
                """
                A playlist begins with the line #EXTM3U. Without it the reply is something else: mostly a page that says why there is \
                no playlist.
                """
            )
        case .lateHeader:
            (
                .warning, "something stands before #EXTM3U",
                """
                Empty lines or comments stand before #EXTM3U, which must be the first line. They are passed over.
                """
            )
        case .byteOrderMark:
            (
                .warning, "the text begins with a byte order mark",
                """
                The three bytes EF BB BF stand in front of the text. RFC 8216 forbids them; they are passed over.
                """
            )
        case .controlCharacter:
            (
                .error, "a control character",
                """
                A playlist is text without control characters but for its line ends, LF or CR LF. The file was damaged, or is \
                something else.
                """
            )
        case .notUTF8:
            (
                .warning, "a text that isn't UTF-8",
                """
                Playlists are UTF-8. A line in another encoding is kept where only people read it.
                """
            )
        case .badURI:
            (
                .error, "a URI that can't be one",
                """
                A URI isn’t UTF-8, or is no URI once its variables are replaced. What can’t stand in a URI is percent-encoded.
                """
            )
        case .tooLarge:
            (
                .error, "more than a playlist may hold",
                """
                The playlist, or one line of it, is longer than any that is known, or has more segments, variants or variables. It was \
                made by a mistake, or to make readers fail.
                """
            )
        case .mixedKinds:
            (
                .error, "tags of a master and of a media playlist in one",
                """
                A playlist lists variants or segments, never both. Two files were joined, or a tag was put into the wrong one.
                """
            )
        case .noContent:
            (
                .error, "neither variants nor segments",
                """
                The playlist has nothing but tags that both kinds have, so nothing can be played.
                """
            )
        case .blanks:
            (
                .warning, "blanks around a line",
                """
                Blanks stand before or behind a line. They are left out: players differ in what they make of them.
                """
            )
        case .badAttributes:
            (
                .error, "a malformed attribute list",
                """
                The attributes of a tag can’t be told apart: a quote, a comma or an equals sign is missing. What was meant is only \
                guessed, so nothing is copied.
                """
            )
        case .looseAttribute:
            (
                .warning, "an attribute that isn't written as it should be",
                """
                An attribute has blanks around it, or lacks the quotes that it should have. It is clear what was meant.
                """
            )
        case .duplicateAttribute:
            (
                .error, "an attribute appears twice in a tag",
                """
                An attribute is given twice in one tag. Some players take the first value, others the last.
                """
            )
        case .missingAttribute:
            (
                .error, "an attribute is missing",
                """
                A tag lacks an attribute without which it says nothing, such as the URI of a key or the TYPE of a rendition.
                """
            )
        case .badValue:
            (
                .error, "a value that can't be used",
                """
                A value isn’t what its tag or attribute takes, and without it a copy would be another presentation.
                """
            )
        case .looseValue:
            (
                .warning, "a value that isn't written as it should be",
                """
                A value isn’t what its tag or attribute takes. It counts for nothing, or for the nearest that it can mean.
                """
            )
        case .segmentWithoutURI:
            (
                .error, "a segment has no URI",
                """
                #EXTINF announces a segment, and no URI follows: a line was lost.
                """
            )
        case .uriWithoutSegment:
            (
                .error, "a URI has no #EXTINF",
                """
                A URI stands in a media playlist without #EXTINF before it, so nobody knows how long the segment plays.
                """
            )
        case .variantWithoutURI:
            (
                .warning, "a variant has no URI",
                """
                #EXT-X-STREAM-INF announces a variant, and no URI follows. The variant is left out.
                """
            )
        case .uriWithoutVariant:
            (
                .warning, "a URI has no #EXT-X-STREAM-INF",
                """
                A URI stands in a master playlist without #EXT-X-STREAM-INF before it. It is left out.
                """
            )
        case .orphanRange:
            (
                .error, "a byte range without an offset that continues nothing",
                """
                A byte range without an offset goes on where the one before ended. Here there is none before, or it is of another \
                file.
                """
            )
        case .missingComma:
            (
                .warning, "the comma after a duration is missing",
                """
                A comma follows the duration in #EXTINF, even where there is no title. Players forgive it.
                """
            )
        case .negativeDuration:
            (
                .warning, "a negative duration",
                """
                A segment can’t play for less than no time. The duration counts as 0.
                """
            )
        case .durationOverTarget:
            (
                .warning, "a segment is longer than the target duration",
                """
                Rounded, no segment may play longer than #EXT-X-TARGETDURATION says. A copy gets a target that covers all of them.
                """
            )
        case .noTargetDuration:
            (
                .warning, "there is no target duration",
                """
                #EXT-X-TARGETDURATION is required: players wait by it. A copy gets one that covers all segments.
                """
            )
        case .undefinedVariable:
            (
                .error, "a variable that isn't defined",
                """
                {$NAME} stands for a variable that no #EXT-X-DEFINE has defined before.
                """
            )
        case .badDefinition:
            (
                .error, "a definition that can't be followed",
                """
                #EXT-X-DEFINE defines a variable twice, or imports one that isn’t there.
                """
            )
        case .encryptedMapWithoutVector:
            (
                .error, "an encrypted #EXT-X-MAP without an IV",
                """
                An initialization section that is encrypted needs a key with an IV of its own (RFC 8216, section 4.3.2.5): no number \
                of a segment can stand for it.
                """
            )
        case .missingGroup:
            (
                .warning, "a group without renditions",
                """
                A variant names a group of renditions that no #EXT-X-MEDIA has. The variant is copied without it.
                """
            )
        case .incompleteVariant:
            (
                .warning, "a variant or rendition lacks an attribute",
                """
                A variant has no BANDWIDTH, or a rendition no name: select can’t choose by what isn’t told.
                """
            )
        case .noEndList:
            (
                .warning, "a VOD playlist without #EXT-X-ENDLIST",
                """
                The playlist says that it is complete (VOD), and #EXT-X-ENDLIST is missing. It is taken as complete.
                """
            )
        case .noSegments:
            (
                .warning, "a media playlist without segments",
                """
                The playlist lists no segments, so nothing can be played.
                """
            )
        case .misplacedTag:
            (
                .warning, "a tag in a place where it can't be",
                """
                A tag stands where it means nothing, or comes too late to mean what it says. It is passed over.
                """
            )
        case .contradiction:
            (
                .error, "a tag appears twice with different values",
                """
                A tag that may appear once appears twice, with different values.
                """
            )
        case .compressed:
            (
                .error, "the text is compressed",
                """
                The text is gzip, and nothing said so: the server forgot Content-Encoding, or a compressed file was uploaded.
                """
            )
        }
    }
}
