import Diagnostics

/// The table of the rules: all that is told of one is made from its row.
extension ContentRule {
    var row: ManifestRule.Row {
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
                A server that leaves several requests unanswered isn’t asked any more, and all has to end at --deadline. Nothing is known of \
                the sources that the message counts.
                """
            )
        case .localFileMissing:
            (
                .error, "a local source can't be read",
                """
                The URL is that of a file on this machine, perhaps because it is relative and the manifest has no mirrors. The file isn’t \
                there, isn’t a regular file, or can’t be opened.
                """
            )
        case .otherDigestHere:
            (
                .error, "a file has another digest than the manifest says",
                """
                The file that is here isn’t the one that the manifest is about: it was built again, or the digest is that of something else. \
                sync would refuse it.
                """
            )
        case .otherSizeHere:
            (
                .error, "a file has another size than the manifest says",
                """
                The file that is here isn’t as long as the manifest says; sync would refuse it.
                """
            )
        case .archiveDamaged:
            (
                .error, "an archive is damaged",
                """
                The archive can’t be unpacked: it is cut, contradicts itself, or its checksums are wrong. It was read from its first byte to \
                its last, as sync does. The message has the entry and the offset, where there is one.
                """
            )
        case .archiveUnsafe:
            (
                .error, "an archive would write where it must not",
                """
                An entry’s path or link leads out of the bundle’s folder, two entries have one name, or readers could see different things in \
                the archive. It is refused as a whole.
                """
            )
        case .archiveUnsupported:
            (
                .error, "an archive has what can't be read",
                """
                The archive is in a format, or uses encryption or a compression method, that Larder doesn’t read. Pack it as zip (deflate) or \
                tar.gz.
                """
            )
        case .archiveOverLimit:
            (
                .error, "an archive is larger than it may be",
                """
                What comes out of the archive exceeds the manifest’s unpack.limits, or those that always hold. Where it is meant to be that \
                large, raise the limit.
                """
            )
        case .nothingSelected:
            (
                .error, "strip, include and exclude leave nothing of an archive",
                """
                The bundle would be empty, or a part is left out without which a selected entry is nothing. Patterns are applied to paths as \
                they are once strip has dropped leading components; larder unpack --list shows the paths of an archive.
                """
            )
        case .idlePattern:
            (
                .warning, "a pattern matches nothing in the archive",
                """
                No entry of the archive is meant by this pattern: it is misspelled, or written for the paths as they are before strip.
                """
            )
        case .strippedFiles:
            (
                .warning, "strip leaves files out",
                """
                Files that stand so high in the archive that strip leaves nothing of their paths are not unpacked. Perhaps the archive is \
                built otherwise than its author thinks.
                """
            )
        case .archiveOddity:
            (
                .warning, "an archive is odd",
                """
                The archive can be unpacked, and something about it is unusual: bytes before or behind it, names that are not UTF-8 or differ \
                only in case. sync tells the same.
                """
            )
        case .otherArchiveFormat:
            (
                .error, "an archive isn't in the format that the manifest says",
                """
                unpack.format says how the archive is read, and it is something else. Write the right format, or leave format out: it is told \
                from the content then.
                """
            )
        case .epubMimetype:
            (
                .warning, "an EPUB doesn't begin with its mimetype",
                """
                The first entry of an EPUB is a file called mimetype, not compressed, with application/epub+zip and nothing else in it (EPUB \
                3.3, section 4.2). Many readers open the book all the same, some don’t, and programs that look at the first bytes take it for \
                any zip.
                """
            )
        case .epubContainer:
            (
                .error, "an EPUB has no META-INF/container.xml that names a package document",
                """
                Readers begin with META-INF/container.xml, whose rootfile elements name the package documents (EPUB 3.3, section 4.2.6.3.1). \
                Without them nobody can open the book.
                """
            )
        case .epubRootfile:
            (
                .error, "an EPUB's package document is missing",
                """
                META-INF/container.xml names a package document that isn’t in the book, so that nobody can open it. Letters count as they are \
                written, upper or lower case.
                """
            )
        case .otherFileType:
            (
                .warning, "a file isn't what its name says",
                """
                The first bytes are not those of the format that belongs to the extension. Programs that go by the name will fail to read it.
                """
            )
        case .cutImage:
            (
                .warning, "an image is cut, or goes on behind its end",
                """
                The image doesn’t end as its format asks for, or is shorter than its own header says. It was probably cut while it was copied.
                """
            )
        case .noImages:
            (
                .warning, "a bundle of textures holds no image",
                """
                No selected file of the archive has an extension or a beginning that is known of images. Perhaps include and exclude leave them \
                out, or the kind should be archive.
                """
            )
        case .otherJoinedDigest:
            (
                .error, "the joined segments have another digest than joinSHA256",
                """
                All segments are here, and joined in the order of the manifest they make another file than it says: a segment is missing, twice, \
                or in the wrong place.
                """
            )
        case .notOpened:
            (
                .note, "downloads were not opened",
                """
                --deep opens files that a manifest names by file URLs or relative paths, and what the library of --library holds. What only \
                servers have isn’t fetched. Told once for each manifest.
                """
            )
        }
    }
}
