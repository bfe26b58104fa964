import Glibc
import Platform
import TestSupport
import Testing

@testable import ContentLibrary

@Suite struct ContentSharingTests {
    private static let time = Timestamp(seconds: 1_000_000_000)

    /// Stored content of two files, and a writer.
    private func stored(_ fixture: Fixture) throws -> (LibraryWriter, StoredContent) {
        let writer = try fixture.writer()
        let staging = try staged(by: writer, ["same": "unchanged", "dir/other": "old"])
        let sample = try Sample()
        return (writer, try writer.commit(staging.seal(), origin: sample.origin, sources: []))
    }

    private func staged(by writer: LibraryWriter, _ files: [String: String]) throws -> Staging {
        let staging = try writer.makeStaging()
        for (path, text) in files {
            try staging.write(text, to: path)
            try staging.directory.open(RelativePath(path), flags: O_RDONLY).setModificationTime(Self.time)
        }
        return staging
    }

    @Test func anUnchangedFileOfAChangedBundleIsKeptOnce() throws {
        let fixture = try Fixture()
        let (writer, old) = try stored(fixture)
        let staging = try staged(by: writer, ["moved": "unchanged", "dir/other": "new"])
        let content = try staging.seal(sharing: ContentSharing(old))
        #expect(content.sharedFiles == 1)
        #expect(content.sharedBytes == 9)
        #expect(try staging.directory.readFile("moved", limitBytes: 100) == Array("unchanged".utf8))
        #expect(try staging.directory.readFile("dir/other", limitBytes: 100) == Array("new".utf8))
        #expect(try staging.directory.status(of: "moved")?.modified == Self.time)
        #expect(try writer.library.staging.names() == [staging.names.content])
        // Sealing what is shared already finds that it is.
        #expect(try staging.seal(sharing: ContentSharing(old)).sharedFiles == 1)
        #expect(try writer.library.staging.names() == [staging.names.content])
    }

    @Test func manyFilesAreSharedAtOnce() async throws {
        let fixture = try Fixture()
        let writer = try fixture.writer()
        let count = 200
        let texts = (0..<count).map { "content \($0)" }
        let first = try staged(
            by: writer, Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("\($0)", $1) }))
        let old = try writer.commit(first.seal(), origin: Sample().origin, sources: [])
        let sharing = try ContentSharing(old)
        let staging = try writer.makeStaging()
        let queue = JobQueue(name: "test", threads: 4)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (number, text) in texts.enumerated() {
                group.addTask {
                    try await queue.attempt { () throws(LibraryError) in
                        let path = LibraryLayout.path("again-\(number)")
                        return try sharing.place(
                            SHA256.digest(of: text.utf8), sizeBytes: Int64(text.utf8.count), at: path, in: staging)
                    }
                }
            }
            for try await isPlaced in group { #expect(isPlaced) }
        }
        for (number, text) in texts.enumerated() {
            let path = LibraryLayout.path("again-\(number)")
            #expect(try staging.directory.readFile(path, limitBytes: 100) == Array(text.utf8))
        }
        #expect(try writer.library.staging.names() == [staging.names.content])
    }

    @Test func aLinkIsMadeOnlyWhereModeAndTimeAgree() throws {
        let fixture = try Fixture()
        let (writer, old) = try stored(fixture)
        let staging = try staged(by: writer, ["same": "unchanged"])
        let other = Timestamp(seconds: 5)
        try staging.directory.open("same", flags: O_RDONLY).setModificationTime(other)
        _ = try staging.seal(sharing: ContentSharing(old))
        // Shared by extents or not at all: in either case the new file has its own time, and so has the old one.
        #expect(try staging.directory.status(of: "same")?.modified == other)
        #expect(try old.open().status(of: "same")?.modified == Self.time)
        #expect(try old.open().status(of: "same")?.linkCount == 1)
    }

    @Test func aFileThatIsInTheStoreNeedNotBeFetched() throws {
        let fixture = try Fixture()
        let (writer, old) = try stored(fixture)
        let sharing = try ContentSharing(old)
        let staging = try writer.makeStaging()
        let digest = SHA256.digest(of: "unchanged".utf8)
        #expect(try sharing.place(digest, sizeBytes: 9, at: "new/place", in: staging))
        #expect(try staging.directory.readFile("new/place", limitBytes: 100) == Array("unchanged".utf8))
        #expect(try !sharing.place(digest, sizeBytes: 8, at: "wrong/size", in: staging))
        #expect(try !sharing.place(SHA256.digest(of: "no".utf8), sizeBytes: 2, at: "unknown", in: staging))
        let isLink = try #require(try staging.directory.status(of: "new/place")).linkCount == 2
        let sealed = try staging.seal(digests: ["new/place": digest])
        #expect(sealed.entries.count == 1 && sealed.sharedFiles == (isLink ? 1 : 0))
    }

    @Test func damageAtRestDoesNotSpread() throws {
        let fixture = try Fixture()
        let (writer, old) = try stored(fixture)
        try fixture.temporary.write("UNCHANGED".utf8, to: "library/store/\(old.address)/same")
        let staging = try staged(by: writer, ["same": "unchanged"])
        let sharing = try ContentSharing(old)
        #expect(try staging.seal(sharing: sharing).sharedFiles == 0)
        #expect(try staging.directory.readFile("same", limitBytes: 100) == Array("unchanged".utf8))
        #expect(try !sharing.place(SHA256.digest(of: "unchanged".utf8), sizeBytes: 9, at: "other", in: staging))
    }
}
