import FaultServer
import TestSupport
import Testing

/// What becomes of archives that are unpacked while they arrive: of bundles with the id `z`, whose files are called `0`, `1` and so on.
extension Stock {
    /// A tar archive of the files.
    static func tar(of files: [[UInt8]], isCompressed: Bool = false) async throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        for (number, content) in files.enumerated() { try folder.write(content, to: "\(number)") }
        return try await ChildProcess.run(
            "tar",
            ["--create", isCompressed ? "--gzip" : "--no-auto-compress", "--directory", folder.path]
                + files.indices.map(String.init)
        ).output
    }

    /// A zip archive of eight files.
    static func zip(of files: [[UInt8]]) -> [UInt8] {
        storedZip([
            "0": files[0], "1": files[1], "2": files[2], "3": files[3], "4": files[4], "5": files[5], "6": files[6],
            "7": files[7],
        ])
    }

    /// What stands in the library's staging, bundle by bundle.
    func staged() throws -> [String] {
        let staging = "\(library)/.larder/staging"
        return try directoryEntries(FilePathBytes(staging)).flatMap { name in
            ((try? directoryEntries(FilePathBytes("\(staging)/\(name)"))) ?? []).map(\.description)
        }
    }

    /// Whether all of a file has been unpacked into staging.
    func isStaged(_ file: String, _ content: [UInt8]) throws -> Bool {
        let staging = "\(library)/.larder/staging"
        return try directoryEntries(FilePathBytes(staging)).contains { name in
            (try? readFile("\(staging)/\(name)/\(file)")) == content
        }
    }

    func expectPublished(_ files: [[UInt8]]) throws {
        #expect(try published("m/z").sorted() == files.indices.map(String.init))
        for (number, expected) in files.enumerated() {
            #expect(contentDifference(expected, try content("z/\(number)")) == nil)
        }
        #expect(try staged() == [])
    }
}
