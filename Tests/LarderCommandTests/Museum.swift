import TestSupport
import Testing

/// A folder `museum` with everything that a manifest may name, by the real tools.
struct Museum {
    let folder: String
    private let film: TemporaryDirectory

    /// - Parameter directory: where the folder is, and what it is made of.
    init(in directory: TemporaryDirectory) async throws {
        folder = try directory.makeDirectory("museum")
        film = try TemporaryDirectory(in: folder)
        try await RealPresentation.languages.make(film)
        try directory.write([1, 2, 3], to: "museum/odd/a b#c?%2F:&'é.txt")
        try directory.write([], to: "museum/odd/empty")
        try directory.write("plain".utf8, to: "museum/README")
        try Self.writeBook(in: directory)
        for command in [
            "cd ../book && zip -qX0 ../museum/guide.epub mimetype && zip -qXr ../museum/guide.epub META-INF guide.opf",
            "zip -qr plates.zip odd README", "tar czf plans.tar.gz odd README", "tar cf maps.tar odd",
        ] { try await run(command) }
    }

    /// Runs a command of the shell in the folder.
    func run(_ command: String) async throws {
        let made = try await ChildProcess.run("sh", ["-c", command], directory: folder)
        try #require(made.status == .exited(0), "\(made)")
    }

    /// What a book is made of, in the folder `book`.
    static func writeBook(in directory: TemporaryDirectory) throws {
        let container = """
            <?xml version="1.0"?>
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="guide.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        try directory.write("application/epub+zip".utf8, to: "book/mimetype")
        try directory.write(container.utf8, to: "book/META-INF/container.xml")
        try directory.write("<package/>".utf8, to: "book/guide.opf")
    }
}
