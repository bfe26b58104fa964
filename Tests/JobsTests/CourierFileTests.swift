import ContentLibrary
import Glibc
import Platform
import TestSupport
import Testing
import Transfer

@testable import Jobs

/// Files that change, or can't be read, while they are copied from a courier, from this machine, or to a courier.
@Suite struct CourierFileTests {
    private let directory: TestSupport.TemporaryDirectory
    private let scratch: Directory
    private static let wanted = [UInt8](repeating: 7, count: 3 << 20)

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        scratch = try Directory.open(try directory.makeDirectory("scratch"))
    }

    /// Something that befalls a file each time a piece of it was read; a hundred times at most, so that a test that fails does so.
    private func change(_ path: String, to sizes: @escaping @Sendable (Int) -> Int) -> @Sendable () -> Void {
        let times = Locked(0)
        return {
            let time = times.withLock { times in
                times += 1
                return times
            }
            if time < 100 { _ = truncate(path, sizes(time)) }
        }
    }

    private static let growing: @Sendable (Int) -> Int = { (3 + $0) << 20 }
    private static let shrinking: @Sendable (Int) -> Int = { _ in 1 << 20 }

    @Test(arguments: [true, false], [true, false])
    func aFileThatChangesWhileItIsReadFillsNoDisk(_ isGrowing: Bool, isSizeKnown: Bool) throws {
        let path = try directory.write(Self.wanted, to: "film")
        let written = Locked<Int64>(0)
        let change = change(path, to: isGrowing ? Self.growing : Self.shrinking)
        let failure = #expect(throws: BundleFailure.self) {
            _ = try LocalCopy(
                of: try TransferURL("file://\(path)"), sizeBytes: isSizeKnown ? 3 << 20 : nil, in: scratch,
                isStopped: { false },
                didWrite: { count in
                    written.withLock { $0 += count }
                    change()
                })
        }
        #expect(failure?.code == .sizeMismatch && written.withLock { $0 } <= 3 << 20, "\(String(describing: failure))")
        #expect(failure?.message.contains(isGrowing ? "grows" : "was cut") == true)
    }

    @Test func aFileThatIsTooLongIsNotCopiedAtAll() throws {
        let path = try directory.write(Self.wanted, to: "film")
        let failure = #expect(throws: BundleFailure.self) {
            _ = try LocalCopy(
                of: try TransferURL("file://\(path)"), sizeBytes: 10, in: scratch, isStopped: { false },
                didWrite: { _ in Issue.record("something was written") })
        }
        #expect(failure?.code == .sizeMismatch)
    }

    /// As of a stick that was pulled out.
    @Test func aFileThatCannotBeReadIsNotThisDisksTrouble() throws {
        let failure = #expect(throws: BundleFailure.self) {
            _ = try LocalCopy(
                of: try TransferURL("file:///proc/self/mem"), sizeBytes: nil, in: scratch, isStopped: { false },
                didWrite: { _ in })
        }
        #expect(failure?.code == .localFileFailed, "\(String(describing: failure))")
    }

    @Test(arguments: [true, false], [true, false])
    func aCouriersFileThatChangesIsOfNoUse(_ isGrowing: Bool, isSizeKnown: Bool) throws {
        let path = try directory.write(Self.wanted, to: "stick/film")
        let digest = Platform.SHA256.digest(of: Self.wanted)
        let courier = try CourierFolder(directory["stick"], for: [digest: ["film"]])
        let change = change(path, to: isGrowing ? Self.growing : Self.shrinking)
        let written = Locked<Int64>(0)
        let answer = try courier.take(
            digest, sizeBytes: isSizeKnown ? 3 << 20 : nil, in: scratch, isStopped: { false },
            didWrite: { count in
                written.withLock { $0 += count }
                change()
            })
        guard case .unusable(let reason) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(written.withLock { $0 } <= 3 << 20 && reason.contains("stick/film"), "\(reason)")
    }

    @Test(arguments: [("film", true), ("other", false)])
    func whatOtherBytesHaveTheNameIsTold(_ name: String, isTold: Bool) throws {
        try directory.write([1, 2, 3], to: "stick/\(name)")
        try directory.makeDirectory("stick/folder")
        let digest = Platform.SHA256.digest(of: Self.wanted)
        let courier = try CourierFolder(directory["stick"], for: [digest: ["film", "folder", "no/thing"]])
        for size in [Int64(Self.wanted.count), 3, nil] {
            let answer = try courier.take(
                digest, sizeBytes: size, in: scratch, isStopped: { false }, didWrite: { _ in })
            switch answer {
            case .unusable: #expect(isTold)
            case .nothing: #expect(!isTold)
            case .copy: Issue.record("it was taken")
            }
        }
    }

    // MARK: To a courier

    @Test func anExportWritesNoMoreThanTheFileHas() throws {
        let path = try directory.write(Self.wanted, to: "film")
        let writer = try CourierWriter(directory["stick"])
        let change = change(path, to: Self.growing)
        let digest = Platform.SHA256.digest(of: Self.wanted)
        let file = try Platform.OwnedDescriptor.open(path, flags: O_RDONLY)
        let most = Locked<Int64>(0)
        let added = try writer.add(digest, sizeBytes: 3 << 20, from: file) {
            let size = (try? writer.partial.status(of: "copy"))??.sizeBytes ?? 0
            most.withLock { $0 = max($0, size) }
            change()
            return false
        }
        #expect(added == nil && most.withLock { $0 } <= 3 << 20)
        #expect(try writer.partial.names().isEmpty)
    }

    @Test(arguments: [10, nil]) func anotherFileIsNotCopied(_ sizeBytes: Int64?) throws {
        let path = try directory.write(Self.wanted, to: "film")
        let writer = try CourierWriter(directory["stick"])
        let file = try Platform.OwnedDescriptor.open(path, flags: O_RDONLY)
        let added = try writer.add(Platform.SHA256.digest(of: [1]), sizeBytes: sizeBytes, from: file) {
            #expect((try? writer.partial.status(of: "copy")) == .some(nil))
            return false
        }
        #expect(added == nil)
    }

    @Test func whatCannotBeReadIsNoReasonToStop() throws {
        let writer = try CourierWriter(directory["stick"])
        let file = try Platform.OwnedDescriptor.open("/proc/self/mem", flags: O_RDONLY)
        #expect(try writer.add(Platform.SHA256.digest(of: []), sizeBytes: 0, from: file) { false } == nil)
        #expect(try writer.partial.names().isEmpty)
    }

    @Test func whatAKilledExportLeftIsRemoved() throws {
        try directory.write([1, 2, 3], to: "stick/partial/copy")
        let writer = try CourierWriter(directory["stick"])
        #expect(try writer.partial.names().isEmpty)
    }
}
