import Diagnostics

extension ContentRule {
    /// The rows of the rules about sources that are asked.
    var sourceRow: Row? {
        switch self {
        case .unreachable:
            (
                .error, "a source can't be reached",
                """
                Nothing was exchanged with the server, or the connection was lost: its name isn’t known, nobody listens at its port, no route \
                leads there. The message has the reason. Another machine may see something else; the one that will sync counts.
                """
            )
        case .insecure:
            (
                .error, "a source's certificate or TLS was refused",
                """
                The server’s certificate has expired, is for another name, or was issued by nobody that this machine trusts. sync refuses it \
                as well. caBundle in --config names other authorities.
                """
            )
        case .timedOut:
            (
                .error, "a source didn't answer in time",
                """
                A connection or a reply took longer than a patient client waits. A server that is slow now and then will be tried again by \
                sync; one that is always silent won’t bring anything.
                """
            )
        case .badStatus:
            (
                .error, "a source answers with an error",
                """
                The server’s status says that there is nothing to be had at this URL (404, 410), or not without a login (401, 403), or that \
                it is broken (500). Logins belong into a netrc file or into the headers of --config.
                """
            )
        case .busy:
            (
                .warning, "a source asks to come back later",
                """
                The server is there, and refuses work for the moment (429, or 503 with Retry-After). Nothing else could be checked.
                """
            )
        case .invalidReply:
            (
                .error, "a source's reply is no valid HTTP",
                """
                What came can’t be read as HTTP, or contradicts itself. Perhaps something else than a web server listens there.
                """
            )
        case .otherSizeThere:
            (
                .error, "a source has another size than the manifest says",
                """
                sync refuses a download whose length isn’t the manifest’s size. Either the file on the server was replaced, or the manifest \
                is about another version.
                """
            )
        case .mirrorsDiffer:
            (
                .error, "two sources of the same file have different sizes",
                """
                All URLs of a download must bring the same bytes, since each may go on where another one stopped. These can’t be the same. \
                The note shows the source that it was compared with.
                """
            )
        case .answersDiffer:
            (
                .warning, "a source's answers contradict each other",
                """
                The server was asked twice, for the head and for one byte, and says different things of the size, the entity tag or the date. \
                Several machines behind one name may hold different versions; downloads that are interrupted start over then. Or a cache in \
                between answers HEAD wrongly, which sync doesn’t mind.
                """
            )
        case .noRanges:
            (
                .warning, "a source can't send a part of a file",
                """
                Asked for one byte the server sends everything (200). A download that is interrupted has to start over, and can’t come over \
                several connections. Told once for each server.
                """
            )
        case .badRange:
            (
                .warning, "a source sends another part than was asked for",
                """
                A reply with a part (206) must say in Content-Range which part it is, and it must be the one that was asked for. Such replies \
                are not believed, so an interrupted download can’t go on here. Told once for each server.
                """
            )
        case .htmlPage:
            (
                .error, "a source sends an HTML page",
                """
                Where a file is due comes a page for people, with a status that says all is well: networks that want a login do that, and \
                servers that show a page instead of 404.
                """
            )
        case .redirectRefused:
            (
                .error, "a source's redirect can't be followed",
                """
                The server sends clients elsewhere, and sync doesn’t go there: from https to http, to a scheme that isn’t allowed, or more \
                often than maxRedirects in --config says.
                """
            )
        case .redirectElsewhere:
            (
                .note, "a source redirects to a server that the manifest doesn't name",
                """
                The bytes come from another origin than those that the manifest lists. Its headers, and those of --config, are not sent \
                there. Nothing is wrong with that where it is meant. Told once for each server.
                """
            )
        case .contentCoding:
            (
                .warning, "a source compresses its reply without having been asked",
                """
                Larder asks for the bytes as they are (Accept-Encoding: identity). A server that compresses on the fly sends others, whose \
                digest and size don’t fit. Some servers only label .gz files so, and send what they should. Told once for each server.
                """
            )
        case .noValidator:
            (
                .warning, "nothing tells one version of a download from another",
                """
                The manifest has no digest, and the server gives neither a strong entity tag nor a date that counts as one. An interrupted \
                download has to start over, and every sync fetches the file anew. Add sha256. Told once for each server.
                """
            )
        case .noLength:
            (
                .warning, "nothing tells how long a download is",
                """
                The server ends its reply by closing the connection, and the manifest gives neither size nor digest: a file that was cut \
                can’t be told from a whole one. sync refuses it, unless it is an archive that shows its own end. Told once for each server.
                """
            )
        case .mirrorsMayDiffer:
            (
                .note, "two sources of the same file have different dates",
                """
                The manifest has no digest, and the servers give different dates of modification for what should be the same bytes. They may \
                have been copied at different times, or be different versions. With sha256 in the manifest nobody has to guess.
                """
            )
        case .unusableURL:
            (
                .error, "a URL can't be asked for",
                """
                The text follows the rules for URLs, but the library that speaks to servers (libcurl) refuses it. The message has its reason.
                """
            )
        case .notAsked:
            (
                .warning, "sources were not asked",
                """
                A server that leaves several requests unanswered isn’t asked any more, and all has to end at --deadline. More playlists \
                or segments than a check reads aren’t asked for either. What the message counts isn’t known to be there, or not to the end.
                """
            )
        case .notCopyable:
            (
                .error, "a presentation can't be copied",
                """
                The playlists are there, and sync would refuse to copy what they describe: it is live and has no end, its keys are handed to \
                trusted players only, its encryption is none that can be copied, it names something that no URL leads to, or select leaves \
                nothing of it. The message says which.
                """
            )
        case .unreadablePlaylist:
            (
                .error, "a playlist can't be read",
                """
                A master playlist names one playlist for each variant and rendition. One of those that select takes doesn’t come, or is \
                larger than any playlist should be.
                """
            )
        default: nil
        }
    }
}
