import CommandLineParsing

/// What the manual pages tell of files and variables, beside what the options say.
let manualNotes = [
    ManualNote(
        .file, "LIBRARY/current/MANIFEST/BUNDLE", of: "--library",
        help: "where readers find a bundle, whatever is published next"),
    ManualNote(
        .file, "LIBRARY/generations", of: "--library", help: "what was published, newest with the highest number"),
    ManualNote(.file, "LIBRARY/store", of: "--library", help: "content, with a receipt of each, shared by generations"),
    ManualNote(
        .file, "LIBRARY/.larder", of: "--library",
        help: "the lock, a pin, paused downloads, staging, and an index that may be lost"),
    ManualNote(
        .file, "FILE.part, FILE.part.resume", of: "fetch",
        help: "what came so far, and what is known of it, until all is here"),
    ManualNote(
        .file, "MANIFEST.minisig", of: "manifest sign", "manifest verify-signature", "--public-key",
        help: "a manifest's signature, beside it"),
    ManualNote(
        .file, "/etc/default/larder", of: "refresh",
        help: "what the service larder-refresh of a package refreshes, which its timer starts once that is enabled"),
    ManualNote(
        .variable, "NO_COLOR", of: "--color", help: "any value that isn't empty: no colors unless --color asks for them"
    ),
    ManualNote(
        .variable, "SOURCE_DATE_EPOCH", of: "manifest create", "manifest update", "manifest import",
        help: "the time of the manifest, in seconds since 1970"),
    ManualNote(
        .variable, "TMPDIR", of: "manifest create", "manifest import", "validate", "clean", "--dry-run",
        help: "where files lie that are needed for a while; /tmp unless it is set"),
    ManualNote(
        .passedVariable, "LARDER_CURRENT, LARDER_GENERATION, LARDER_LIBRARY", of: "run",
        help: "what the program gets: the path and the number of the generation, and the library"),
    ManualNote(
        .passedVariable, "LARDER_CHANGED, LARDER_REMOVED", of: "--on-change",
        help: "what the command gets: the bundles, as MANIFEST/BUNDLE; empty where there are too many"),
    ManualNote(
        .passedVariable, "LARDER_CHANGED_COUNT, LARDER_REMOVED_COUNT", of: "--on-change", help: "how many these are"),
    ManualNote(
        .passedVariable, "LARDER_GENERATION, LARDER_LIBRARY", of: "--on-change",
        help: "the number of the new generation, and the library"),
]
