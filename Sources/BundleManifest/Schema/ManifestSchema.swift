import JSONSyntax

/// The JSON Schema of manifests, for editors and other programs: made of the tables that decoding follows.
package enum ManifestSchema {
    /// The whole schema as JSON text, with a final line end.
    package static var text: String {
        let manifest = ValueType.object(ManifestDraft.table).schema
        let head: JSONSchema = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Larder manifest, format larder/1",
            "description": """
            What a manifest may hold, as far as a schema can tell. larder validate tells more: repeated keys and ids, paths that collide, \
            bundles that wait for each other, digests and sizes that disagree, and all warnings.
            """,
        ]
        var writer = JSONWriter(.pretty)
        writer.value(head.with(manifest).with(["$defs": .object(manifest.definitions)]))
        return writer.text + "\n"
    }

    /// Errors that the schema can't see, though a manifest's text alone can be wrong in this way.
    package static let unseen: Set<ManifestRule> = [
        // What several values say together.
        .repeatedID, .unknownPredecessor, .cyclicOrder, .repeatedPath, .fileIsFolder, .repeatedHeader,
        // What the reader decides: which features it knows, and whether the manifest came from a local path.
        .unknownRequirement, .fileURL,
        // Bytes rather than characters, a number that a pattern can't count to in all dialects, and a language of its own.
        .componentTooLong, .pathTooDeep, .badPattern,
        // What makes sync fail one bundle, and leaves a manifest that can be followed.
        .digestWithTwoSizes, .digestOfNothing, .placeholderDigest, .nothingToResolve,
        // What is compared with another manifest.
        .otherManifest, .serialNotRaised, .versionReused,
    ]
}
