/// The keys of `unpack`.
struct UnpackDraft: Draft {
    var format: UnpackFormat?
    var strip = 0
    var include: [String] = []
    var exclude: [String] = []
    var preservesTimes = true
    var limits = UnpackLimits()

    static let table = ObjectTable<UnpackDraft>(
        "unpack",
        [
            Field(
                "format", .word(),
                about: "What the download is; auto looks at its first bytes. auto when left out, for an ebook none"
            ) { $0.format = $1 },
            Field(
                "strip", .count,
                about: "Leading components to drop from every path; 0 when left out"
            ) { $0.strip = $1 },
            Field(
                "include", .list(of: .pattern, "patterns"),
                about: "Patterns of .gitignore for what to take; none: everything"
            ) { $0.include = $1 },
            Field(
                "exclude", .list(of: .pattern, "patterns"),
                about: "Patterns of .gitignore for what to leave out, stronger than include"
            ) { $0.exclude = $1 },
            Field(
                "preserve", .boolean,
                about: "Whether files keep the times of the archive; true when left out"
            ) { $0.preservesTimes = $1 },
            Field(
                "limits", .object(UnpackLimits.table),
                about: "What the archive may grow to; the stricter of these and the operator's holds"
            ) { $0.limits = $1 },
        ])

    func options(for kind: BundleKind) -> UnpackOptions {
        UnpackOptions(
            format: format ?? kind.defaultUnpackFormat, strip: strip, include: include, exclude: exclude,
            preservesTimes: preservesTimes, limits: limits)
    }
}
