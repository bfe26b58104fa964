import Diagnostics

extension ContentRule {
    /// The rows of the rules about files that are opened.
    var fileRow: Row? {
        switch self {
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
        case .copyUnplayable:
            (
                .error, "the library's copy of a presentation can't be played",
                """
                What the library holds of the bundle was looked at as it lies on the disk: its playlists, that every file they name is there, is \
                what a player expects, and decrypts, and that no URI leads elsewhere. Something of it was damaged since it was copied. The \
                message has the first file that is wrong.
                """
            )
        default: nil
        }
    }
}
