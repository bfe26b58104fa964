import Diagnostics

extension ManifestRule {
    /// The rows of the rules about structure.
    var structureRow: Row? {
        switch self {
        case .wrongType:
            (
                .error, "a value has the wrong type",
                """
                A key holds another kind of value than it should: a string where a number is due, one URL where a list of them is. The \
                message tells both kinds. --fix writes brackets around a single element, and takes a number out of its quotes.
                """
            )
        case .missingKey:
            (
                .error, "a required key is missing",
                """
                An object lacks a key that it needs. A manifest needs format, id, serial and bundles; a bundle id, kind, and what its kind \
                asks for: urls, segments or files.
                """
            )
        case .unknownKey:
            (
                .error, "a key is unknown and doesn't start with x-",
                """
                Unknown keys are refused, because a misspelled one would be passed over in silence. Where one of the known keys is close, \
                the hint names it. Keys of your own start with x-.
                """
            )
        case .keyOfOtherKind:
            (
                .error, "a key doesn't belong to this kind of bundle",
                """
                Each kind of bundle has keys of its own: a digest of the whole, for example, belongs to archives and ebooks, not to a list \
                of files, each of which has its own.
                """
            )
        case .unknownFormat:
            (
                .error, "the manifest's format is unknown",
                """
                The first thing that a manifest says is its format, larder/1. Another one may be of a newer version, or the file is no \
                manifest at all.
                """
            )
        case .badID:
            (
                .error, "an id is not [a-z0-9][a-z0-9._-]{0,63}",
                """
                Ids become names of folders, in the library and in what readers open: 1 to 64 of a-z 0-9 . _ - with a letter or a digit in \
                front.
                """
            )
        case .repeatedID:
            (
                .error, "two bundles have the same id",
                """
                Every bundle of a manifest has a folder under its id, so two can’t share one. The note tells where the id was first used.
                """
            )
        case .badNumber:
            (
                .error, "a number is out of its range",
                """
                Numbers have bounds, which the message tells. Sizes, serials, priorities and limits are whole numbers; durations, ratios \
                and frame rates may have a fraction.
                """
            )
        case .badTimestamp:
            (
                .error, "a time is not RFC 3339 in UTC",
                """
                Times are RFC 3339 in UTC, like 2026-11-29T00:00:00Z: an offset such as +01:00 is not taken.
                """
            )
        case .unknownValue:
            (
                .error, "a word is none of those allowed",
                """
                Some keys take one of a few words. The message lists them.
                """
            )
        case .unknownRequirement:
            (
                .error, "the manifest requires an unknown feature",
                """
                requires lists features without which a manifest can’t be followed, so that an older Larder refuses it rather than doing \
                half of it. sync exits with 77.
                """
            )
        case .unknownPredecessor:
            (
                .error, "a bundle waits for one that isn't in the manifest",
                """
                after names bundles of the same manifest. This one isn’t there: it was renamed or removed.
                """
            )
        case .cyclicOrder:
            (
                .error, "bundles wait for each other",
                """
                Bundles wait for each other through their after keys, so that none of them could ever start. Remove one of the steps that \
                the message names.
                """
            )
        case .emptyList:
            (
                .error, "a list that needs an element is empty",
                """
                A list that has to name something is empty: bundles, urls, files or segments.
                """
            )
        case .badDigest:
            (
                .error, "a SHA-256 is not 64 lowercase hexadecimal digits",
                """
                A SHA-256 is 64 lowercase hexadecimal digits, as sha256sum prints it. Other lengths are other algorithms (40: SHA-1, 128: \
                SHA-512). --fix writes upper case in lower case.
                """
            )
        case .emptyText:
            (
                .error, "a text is empty",
                """
                A text that is given can’t be empty; leave out the key instead.
                """
            )
        case .badResolution:
            (
                .error, "a resolution is not WIDTHxHEIGHT",
                """
                A resolution is WIDTHxHEIGHT in pixels, such as 1280x720.
                """
            )
        case .contradictorySelection:
            (
                .error, "a selection contradicts itself",
                """
                A selection asks for all and for a part as well, or for a smallest bandwidth above the largest.
                """
            )
        case .joinDigestWithoutJoin:
            (
                .error, "joinSHA256 is given without join",
                """
                joinSHA256 is the digest of the file that the segments are joined into, and join is that file’s name. One without the \
                other means nothing.
                """
            )
        case .expiresBeforeCreated:
            (
                .warning, "the manifest expires before it was created",
                """
                The manifest would be refused from the moment it was made. Perhaps the two times were exchanged.
                """
            )
        case .downloadWithoutDigest:
            (
                .warning, "a download has no digest",
                """
                Without a SHA-256 nobody can tell whether bytes are the right ones: a login page, a cut file or another version would be \
                published. sha256sum FILE prints it.
                """
            )
        case .expired:
            (
                .warning, "the manifest has expired",
                """
                The time of expires has passed, and sync refuses the manifest unless it is called with --allow-expired. Raise the time, and \
                the serial with it.
                """
            )
        case .recordingOver:
            (
                .warning, "the end of a recording has passed",
                """
                The time of until has passed. What was recorded by then is published, or is already; a recording that was never begun is \
                refused, since nobody knows what of a live presentation was meant.
                """
            )
        case .gapsWithoutRecording:
            (
                .error, "gaps is given without until or follow",
                """
                gaps allows the copy of a live presentation to lack what couldn’t be had in time. Only until or follow make a recording; \
                a presentation that has an end is complete or not published.
                """
            )
        case .presentationWithoutDigest:
            (
                .note, "a presentation has no digest",
                """
                A digest of its playlist would tell whether that is the right one, but many servers write playlists anew, with a token or \
                another order, and a live one changes all the time. What the playlist names has no digest in any case: give servers that \
                you trust, by https.
                """
            )
        default: nil
        }
    }
}
