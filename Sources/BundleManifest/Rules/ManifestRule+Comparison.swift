import Diagnostics

extension ManifestRule {
    /// The rows of the rules about what changed since an older version.
    var comparisonRow: Row? {
        switch self {
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
        default: nil
        }
    }
}
