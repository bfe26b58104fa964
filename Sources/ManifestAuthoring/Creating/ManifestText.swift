import JSONSyntax
import Platform

/// The text of a manifest, written as its files become known: a line for each bundle, and for each file of a list.
///
/// The files of a list are known one by one between other bundles. They wait in a file of their own, so that memory doesn't grow with their number.
struct ManifestText {
    private var text: BufferedFile
    private var list: BufferedFile
    private(set) var bundleCount = 0
    private var listedCount = 0

    init(_ header: ManifestHeader) throws(SystemError) {
        text = BufferedFile(try TemporaryFolder.unnamedFile())
        list = BufferedFile(try TemporaryFolder.unnamedFile())
        var writer = JSONWriter(.pretty)
        writer.beginObject()
        writer.member("format", "larder/1")
        writer.member("id", header.id)
        writer.member("serial", header.serial)
        writer.member("created", header.created.rfc3339)
        if !header.mirrors.isEmpty { writer.member("mirrors", header.mirrors) }
        writer.key("bundles")
        writer.beginArray()
        try text.write(writer.bytes)
    }

    /// A bundle of a single download.
    mutating func add(_ id: String, kind: String, _ url: String, _ facts: FileFacts) throws(SystemError) {
        var writer = JSONWriter()
        writer.object { bundle in
            bundle.member("id", id)
            bundle.member("kind", kind)
            Self.write(url, facts, to: &bundle)
        }
        try beginBundle()
        try text.write(writer.bytes)
    }

    /// A file of the next list.
    mutating func list(_ path: String, _ url: String, _ facts: FileFacts) throws(SystemError) {
        try list { file in
            file.member("path", path)
            Self.write(url, facts, to: &file)
        }
    }

    /// A file of the next list, by its members.
    mutating func list(_ members: (inout JSONWriter) -> Void) throws(SystemError) {
        var writer = JSONWriter()
        writer.object(members)
        try list.write(listedCount == 0 ? "\n      " : ",\n      ")
        try list.write(writer.bytes)
        listedCount += 1
    }

    /// Of all that was written.
    var sizeBytes: Int64 { text.sizeBytes + list.sizeBytes }

    /// Whether files were listed since the last list ended.
    var hasList: Bool { listedCount > 0 }

    /// Makes a bundle of the files that were listed.
    /// - Parameter members: what it has besides.
    mutating func endList(_ id: String, _ members: (inout JSONWriter) -> Void = { _ in }) throws(SystemError) {
        try beginBundle()
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id)
        members(&writer)
        writer.member("kind", "files")
        writer.key("files")
        writer.beginArray()
        try text.write(writer.bytes)
        try list.move(to: &text)
        try text.write("\n    ]}")
        listedCount = 0
    }

    /// The whole text, in a file that is gone when nobody holds it.
    mutating func end() throws(SystemError) -> OwnedDescriptor {
        try text.write("\n  ]\n}\n")
        try text.flush()
        return text.descriptor
    }

    private mutating func beginBundle() throws(SystemError) {
        try text.write(bundleCount == 0 ? "\n    " : ",\n    ")
        bundleCount += 1
    }

    private static func write(_ url: String, _ facts: FileFacts, to writer: inout JSONWriter) {
        writer.member("urls", [url])
        writer.member("size", facts.sizeBytes)
        writer.member("sha256", facts.digest.description)
    }
}
