import Diagnostics

/// The table of the rules: all that is told of one is made from its row.
extension ManifestRule {
    typealias Row = (severity: Severity, title: String, explanation: String)

    var row: Row {
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
        case .tooManyErrors:
            (
                .error, "too many errors to tell them all",
                """
                Only the first thousand errors are told. They mostly have one cause.
                """
            )
        case .tooManyWarnings:
            (
                .warning, "too many warnings to tell them all",
                """
                Only the first thousand warnings are told. They mostly have one cause.
                """
            )
        case .emptyPath:
            (
                .error, "a path is empty",
                """
                A path has to name a file.
                """
            )
        case .absolutePath:
            (
                .error, "a path is absolute",
                """
                Paths are relative to the bundle’s folder; one that starts with / would lead out of it.
                """
            )
        case .badComponent:
            (
                .error, "a path has an empty component, a . or a .. in it",
                """
                A path can’t have .. in it, which would lead out of the bundle’s folder, nor . or two slashes in a row, which would give \
                one file two names.
                """
            )
        case .badCharacter:
            (
                .error, "a path has a backslash or a control character",
                """
                Folders are separated by slashes; a backslash separates them on Windows and nowhere else. Control characters would garble \
                whatever shows the name.
                """
            )
        case .componentTooLong:
            (
                .error, "a path's component is longer than 255 bytes",
                """
                File systems take names of at most 255 bytes. A letter beyond ASCII takes two to four.
                """
            )
        case .pathTooLong:
            (
                .error, "a path is longer than 4096 bytes",
                """
                Linux takes paths of at most 4096 bytes.
                """
            )
        case .notAName:
            (
                .error, "a file name has a slash",
                """
                This names a file in the bundle’s folder, so it can’t have a slash in it.
                """
            )
        case .repeatedPath:
            (
                .error, "two files of a bundle have the same path",
                """
                Two files of one bundle have the same path, so one would replace the other. Paths that differ only in how Unicode composes \
                a letter count as the same.
                """
            )
        case .fileIsFolder:
            (
                .error, "a path is both a file and a folder",
                """
                One path names a file, and another one a file beneath it.
                """
            )
        case .reservedName:
            (
                .error, "a path is one that Larder writes itself",
                """
                Beside the segments Larder writes index.m3u8 and index.json for players.
                """
            )
        case .badPattern:
            (
                .error, "a pattern is malformed",
                """
                Patterns are those of .gitignore; this one can’t be read. Brackets need their closing one, and there is no ! in front: \
                exclude is a list of its own.
                """
            )
        case .caseCollision:
            (
                .warning, "two paths differ only in upper and lower case",
                """
                On Linux these are two files. On the file systems of Windows and macOS, and on FAT and exFAT sticks, one replaces the \
                other when the content is copied there.
                """
            )
        case .notComposed:
            (
                .warning, "a path is not in Unicode's composed form (NFC)",
                """
                A letter with an accent can be one character or two. The name is written with two: it looks the same, but programs that \
                compare bytes won’t find it under the name that people type. Most systems write names composed (NFC). --fix composes it.
                """
            )
        case .notPortable:
            (
                .note, "Windows has no files of that name",
                #"""
                Larder has no trouble with this name, but whoever copies the content to Windows, exFAT or FAT does: < > : " | ? * can’t be \#
                in a name there, nor a dot or a space at its end, and CON, PRN, AUX, NUL, COM1 to COM9 and LPT1 to LPT9 are devices.
                """#
            )
        case .tooLargeForFAT:
            (
                .note, "a file is too large for FAT32",
                """
                FAT32 takes files of at most 4 GiB - 1 byte. This one can’t be copied to such a stick or card.
                """
            )
        case .emptyURL:
            (
                .error, "a URL is empty",
                """
                A URL can’t be empty: it would stand for the manifest itself.
                """
            )
        case .badURLCharacter:
            (
                .error, "a URL has a character that must be percent-encoded",
                """
                URLs are ASCII. Spaces and letters beyond it are percent-encoded, each byte of their UTF-8 as %XX. --fix does it.
                """
            )
        case .badPercentEscape:
            (
                .error, "a percent sign is not followed by two hexadecimal digits",
                """
                In a URL a percent sign begins an escape of two hexadecimal digits. A percent sign itself is written %25.
                """
            )
        case .unknownScheme:
            (
                .error, "a URL's scheme is none of http, https and file",
                """
                Larder fetches over http and https, and copies from file. A relative path with a colon in its first component looks like a \
                scheme: write ./ in front of it.
                """
            )
        case .fileURL:
            (
                .error, "a file URL in a manifest that wasn't read from a local path",
                """
                Only somebody who can write files on this machine may name them: a manifest from a server, or from standard input, could \
                otherwise publish any file that it can read.
                """
            )
        case .badHost:
            (
                .error, "a URL's host is missing or malformed",
                """
                The part after // must be a host name or an address, IPv6 in brackets, optionally with a port.
                """
            )
        case .credentialsInURL:
            (
                .error, "a URL holds credentials",
                """
                Everyone can read a manifest, and URLs end up in logs. Logins belong into a netrc file, which the settings of --config \
                name.
                """
            )
        case .badPort:
            (
                .error, "a URL's port is not a number of 1 to 65535",
                """
                A port is a number from 1 to 65535.
                """
            )
        case .relativeMirror:
            (
                .error, "a mirror is not an absolute URL",
                """
                Mirrors are what relative URLs are resolved against, so they must be absolute: a scheme, a host and a path.
                """
            )
        case .mirrorWithoutSlash:
            (
                .warning, "a mirror doesn't end with a slash",
                """
                When a relative URL is joined to a base, whatever follows the base’s last slash is dropped (RFC 3986, section 5.2.3): \
                https://a.example/content and x.zip make https://a.example/x.zip.
                """
            )
        case .repeatedURL:
            (
                .warning, "a URL appears twice in a list",
                """
                A list of URLs names sources of the same bytes, tried in turn. The same one twice is no second source; perhaps another was \
                meant.
                """
            )
        case .singleSource:
            (
                .note, "a bundle can be had from one place only",
                """
                Every source of this bundle has one URL, and there are not two mirrors: while that server is down, nobody gets it.
                """
            )
        case .signedURL:
            (
                .warning, "a URL is signed and will expire",
                """
                The query has the signature of a storage service, and these hold for hours or days. A manifest outlives them. Name a URL \
                that lasts, or let a server of yours redirect to the signed one.
                """
            )
        case .nothingToResolve:
            (
                .warning, "a relative URL has nothing to be resolved against",
                """
                A manifest from standard input has no place of its own, so its relative URLs need mirrors in it, or --base on the command \
                line.
                """
            )
        case .fragment:
            (
                .warning, "a URL has a fragment, which is never sent",
                """
                What follows # never reaches a server. If the name of the file has a # in it, write %23.
                """
            )
        case .digestWithTwoSizes:
            (
                .warning, "one digest with two sizes",
                """
                The same bytes can’t have two sizes, so at least one of these downloads will be refused: a digest was copied, or a size \
                wasn’t updated.
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
                .warning, "the digest is that of no bytes at all",
                """
                This is the SHA-256 of an empty file: it was taken before anything had been written. The size isn’t 0.
                """
            )
        case .placeholderDigest:
            (
                .warning, "a digest is one digit over and over",
                """
                No file has such a digest; it was put there until the real one is known. sha256sum FILE prints it.
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
        case .otherManifest:
            (
                .error, "the older manifest has another id",
                """
                Versions of one manifest have one id. With another one this is a new manifest: a library would publish it beside the old \
                one.
                """
            )
        case .serialNotRaised:
            (
                .error, "the manifest changed and its serial was not raised",
                """
                A library refuses a serial lower than the highest that it published, and takes another manifest of the same serial for a \
                mistake. Raise it with every change.
                """
            )
        case .versionReused:
            (
                .error, "a version is used again for other content",
                """
                A bundle’s version says what is new, to people and to programs. It is the same as before, but the content isn’t: give it \
                another version.
                """
            )
        case .bundleDropped:
            (
                .warning, "a bundle is no longer in the manifest",
                """
                Readers will no longer find the bundle once the manifest is published. If that is meant, --allow V004.
                """
            )
        case .createdEarlier:
            (
                .warning, "the manifest says that it is older than the older one",
                """
                created lies before that of the older manifest. Perhaps the two files were exchanged, or a clock was wrong.
                """
            )
        }
    }
}
