import Diagnostics

extension ManifestRule {
    /// The rows of the rules about paths.
    var pathRow: Row? {
        switch self {
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
                .error, "a path is longer than 3840 bytes",
                """
                Linux opens paths of at most 4095 bytes, and the library’s own path, current, and the ids of manifest and bundle stand in \
                front of this one: a longer one could be published, but not be opened.
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
                Beside the segments Larder writes index.m3u8 and index.json for players, so there can be no folders of these names either.
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
        case .pathTooDeep:
            (
                .error, "a path has more than 512 components",
                """
                Each component but the last is a folder that has to be made, looked through and removed again. Archives are held to the same \
                number unless limits says otherwise.
                """
            )
        default: nil
        }
    }
}
