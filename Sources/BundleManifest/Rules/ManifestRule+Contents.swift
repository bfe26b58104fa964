import Diagnostics

extension ManifestRule {
    /// The rows of the rules about digests and sizes, segment lists and headers.
    var contentRow: Row? {
        switch self {
        case .digestWithTwoSizes:
            (
                .error, "one digest with two sizes",
                """
                The same bytes can’t have two sizes, so sync is sure to fail one of these bundles, though it publishes the others: a digest \
                was copied, or a size wasn’t updated.
                """
            )
        case .limitBelowSize:
            (
                .warning, "a limit is below the size of the archive itself",
                """
                unpack.limits.bytes is what the archive may grow to, and it is smaller than the archive is packed. Nearly every archive \
                would be refused.
                """
            )
        case .digestOfNothing:
            (
                .error, "the digest is that of no bytes at all",
                """
                This is the SHA-256 of an empty file: it was taken before anything had been written. The size isn’t 0, so sync is sure to \
                fail the bundle, though it publishes the others.
                """
            )
        case .placeholderDigest:
            (
                .error, "a digest is one digit over and over",
                """
                No file has such a digest, and sync fails the bundle; it was put there until the real one is known. sha256sum FILE prints it.
                """
            )
        case .missingDuration:
            (
                .warning, "some segments of a list have no duration",
                """
                The playlist that is written for the segments needs every duration, and those that are missing are guessed. Give all of \
                them or none.
                """
            )
        case .noDuration:
            (
                .warning, "a segment lasts no time",
                """
                A segment of 0 seconds makes players stall or skip.
                """
            )
        case .gapInNumbers:
            (
                .warning, "a number is missing between segments",
                """
                The names are numbered, and a number is missing: a segment was forgotten, and the sound or picture will jump.
                """
            )
        case .mixedContainers:
            (
                .warning, "segments of different containers in one list",
                """
                The names of segments end in different ways that belong to different containers. Players, and the joined file, need one of \
                them.
                """
            )
        case .repeatedSegment:
            (
                .warning, "two segments have the same source",
                """
                Two segments have the same first URL, so a piece will be heard or seen twice, and another one is probably missing.
                """
            )
        case .numbersOutOfOrder:
            (
                .warning, "the numbers of segments go backwards",
                """
                Segments play in the order of the list, and here a number is lower than, or equal to, the one before.
                """
            )
        case .badHeaderName:
            (
                .error, "a header's name is not a token",
                """
                The name of a header has letters, digits and !#$%&'*+-.^_`|~ (RFC 9110, section 5.6.2), and no space or colon.
                """
            )
        case .badHeaderValue:
            (
                .error, "a header's value has a control character",
                """
                Line ends and other control characters in a header would smuggle further headers into the request.
                """
            )
        case .reservedHeader:
            (
                .error, "a header that only Larder may set",
                """
                Headers that frame the message, name the server, or tell which part of a file is wanted, are set by Larder alone.
                """
            )
        case .repeatedHeader:
            (
                .error, "a header is given twice",
                """
                The names of headers don’t depend on upper and lower case, so this is the same one twice.
                """
            )
        case .secretInHeader:
            (
                .warning, "a header looks like a secret",
                """
                Everyone can read a manifest. Logins belong into a netrc file or into the headers of --config.
                """
            )
        default: nil
        }
    }
}
