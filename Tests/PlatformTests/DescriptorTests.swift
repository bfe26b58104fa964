import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DescriptorTests {
    private let temporary: TemporaryDirectory
    private let root: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        root = try Directory.open(temporary.path)
    }

    private func open() throws -> Platform.OwnedDescriptor { try root.open("file", flags: O_RDWR | O_CREAT) }

    @Test func anExclusiveLockShutsEverybodyElseOut() throws {
        let (one, two) = (try open(), try open())
        #expect(try one.lock(exclusive: true))
        #expect(try !two.lock(exclusive: true))
        #expect(try !two.lock(exclusive: false))
        one.unlock()
        #expect(try two.lock(exclusive: true))
    }

    @Test func sharedLocksBearEachOther() throws {
        let (one, two, three) = (try open(), try open(), try open())
        #expect(try one.lock(exclusive: false))
        #expect(try two.lock(exclusive: false))
        #expect(try !three.lock(exclusive: true))
    }

    @Test func aLockGoesWithItsDescriptor() throws {
        var one: Platform.OwnedDescriptor? = try open()
        let two = try open()
        #expect(try one?.lock(exclusive: true) == true)
        #expect(try !two.lock(exclusive: true))
        one = nil
        #expect(try two.lock(exclusive: true))
    }

    @Test func anErrorIsReadBeforeItsWordsAreMade() {
        func subject() -> String {
            errno = EIO
            return "a file"
        }
        errno = ENOENT
        let error = Platform.SystemError.last("open", subject())
        #expect(error == Platform.SystemError(code: ENOENT, operation: "open", subject: "a file"))
    }

    /// Of a file system that a program serves (FUSE).
    @Test(
        arguments: [
            (0, 0), (8, 4096), (Int.max, Int64.max), (Int.max / 512, Int64.max / 512 * 512), (-1, 0),
        ] as [(Int, Int64)])
    func whatAFileTakesOnTheDiskMayBeAnything(_ blocks: Int, _ bytes: Int64) {
        var raw = stat()
        (raw.st_blocks, raw.st_nlink) = (blocks, .max)
        #expect(FileStatus(raw).allocatedBytes == bytes)
        #expect(FileStatus(raw).linkCount == .max)
    }

    @Test func sumsOfCountsEndAtTheLargestNumber() {
        var sum: Int64 = .max - 1
        for _ in 0..<2 { sum.addClamped(1) }
        #expect(sum == .max && (Int64.max / 2).multipliedClamped(by: 3) == .max)
    }

    @Test func anOpenFileGetsAnotherName() throws {
        let file = try open()
        try file.write([1])
        try root.link(file, at: RelativePath("other"))
        #expect(try temporary.read("other") == [1])
        for name in ["file", "other"] { try root.remove(RelativePath(name)) }
        #expect(throws: Platform.SystemError.self) { try root.link(file, at: RelativePath("late")) }
    }

    @Test func noDescriptorIsInherited() throws {
        for descriptor in [try open(), root.descriptor, try root.openByComponents("file", flags: O_RDONLY, mode: 0)] {
            #expect(fcntl(descriptor.rawValue, F_GETFD) == FD_CLOEXEC)
        }
    }

    @Test func bytesGoWhereTheyShould() throws {
        let file = try open()
        try file.write([1, 2, 3])
        try file.write([4])
        try [UInt8](arrayLiteral: 9, 9).withUnsafeBytes { bytes in try file.write(bytes, at: 1) }
        #expect(try temporary.read("file") == [1, 9, 9, 4])
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 2) } == 2)
        #expect(Array(buffer[..<2]) == [9, 4])
        try file.truncate(to: 2)
        #expect(try file.status().sizeBytes == 2)
    }

    @Test func aTimeSurvivesToTheNanosecond() throws {
        let file = try open()
        for time in [
            Timestamp(seconds: -7, nanoseconds: 999_999_999), Timestamp(seconds: 2_000_000_000, nanoseconds: 1),
        ] {
            try file.setModificationTime(time)
            #expect(try file.status().modified == time)
        }
    }

    @Test func aFullFileSystemIsRecognised() throws {
        let full = try OwnedDescriptor.open("/dev/full", flags: O_WRONLY)
        let error = #expect(throws: Platform.SystemError.self) { try full.write([1]) }
        #expect(error?.isNoSpace == true)
        #expect(error?.description == "can't write /dev/full: No space left on device")
    }

    @Test func aWholeFileSystemIsFlushedAtOnce() throws {
        let file = try open()
        try file.write([1])
        #expect(try file.synchronizeFileSystem())
    }

    @Test func freeSpaceIsAPartOfAll() throws {
        let space = try root.descriptor.fileSystemSpace()
        #expect(space.free > 0 && space.free <= space.total)
    }
}
