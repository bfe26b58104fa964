extension UnpackLimits: Draft {
    static let table = ObjectTable<UnpackLimits>(
        "limits",
        [
            Field("entries", .positive, about: "Files and folders in the archive") { $0.entries = $1 },
            Field("bytes", .limitBytes, about: "Bytes of all files together") { $0.totalBytes = $1 },
            Field("entryBytes", .limitBytes, about: "Bytes of one file") { $0.entryBytes = $1 },
            Field("ratio", .number(1...1_000_000_000), about: "Unpacked bytes for each packed one") { $0.ratio = $1 },
            Field("depth", .positive, about: "Components of a path") { $0.depth = $1 },
        ])
}
