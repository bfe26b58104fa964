import Glibc
import Platform

/// Content that takes the place of damaged content.
///
/// The two change places in one step, under the name that generations and readers know: whoever looks a path up finds the old content or the new,
/// and whoever holds the old directory open keeps it, since it stays for a while in quarantine, whole as far as it was. Both are what the name
/// stands for, so whichever receipt is there vouches for the new one as well.
extension LibraryWriter {
    /// Puts sealed content where damaged content stands.
    func replaceContent(
        at address: StoreAddress, in parent: Directory, by staging: StagingNames
    ) throws(SystemError) {
        let aside = try quarantineName(for: address)
        // Whoever makes room meanwhile leaves it alone.
        state.withLock { _ = $0.replacing.insert(aside) }
        do {
            defer { state.withLock { _ = $0.replacing.remove(aside) } }
            // First: what is displaced is never where the next run clears up.
            try library.staging.rename(staging.content, to: aside, in: library.quarantine, replacing: false)
            try exchange(aside, with: address, in: parent)
        }
        // By now what lies aside is the damaged one, and counts.
        _ = try? discardReplacedContent()
    }

    /// Lets content change places with what lies in quarantine.
    func exchange(_ aside: RelativePath, with address: StoreAddress, in parent: Directory) throws(SystemError) {
        do {
            try library.quarantine.exchange(aside, with: address.name.path, in: parent)
        } catch {
            // Whatever else stands in the way may not do so the next time.
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            _ = try? library.quarantine.removeTree(aside)
            throw SystemError(
                code: EOPNOTSUPP, operation: "replace damaged content in one step, as this file system would have to,",
                subject: "at \(address); remove its directory, and the next sync fetches the bundle again")
        }
        try parent.synchronize()
        try library.quarantine.synchronize()
    }

    /// So many stay for a day, the newest: of a library that was damaged all over, nobody wants a second one.
    static let keptReplaced = 8

    /// Lets go of damaged content that was replaced so long ago that nobody reads it any more: none of it while a reader holds a generation.
    /// - Parameter keeping: how many stay in any case that are younger.
    /// - Returns: how many bytes that gave back to the file system.
    @discardableResult
    package func discardReplacedContent(
        keeping count: Int = keptReplaced, olderThan age: Duration = .seconds(24 * 60 * 60), now: Timestamp = .now
    ) throws(LibraryError) -> Int64 {
        let doomed = try library.replacedContent(keeping: count, olderThan: age, now: now)
            .filter { name in state.withLock { !$0.replacing.contains(name) } }
        guard !doomed.isEmpty, try !isAnyGenerationHeld() else { return 0 }
        return try translating { () throws(SystemError) in
            var bytes: Int64 = 0
            for name in doomed { bytes.addClamped(try library.quarantine.removeTree(name)) }
            return bytes
        }
    }

    private func isAnyGenerationHeld() throws(LibraryError) -> Bool {
        for number in try library.generations.numbers() {
            let isFree = try translating { () throws(SystemError) in
                let directory = try library.generationsDirectory.subdirectory(number.path)
                defer { directory.descriptor.unlock() }
                return try directory.descriptor.lock(exclusive: true)
            }
            if !isFree { return true }
        }
        return false
    }

    // MARK: Names

    /// `content-SECONDS-MANIFEST-BUNDLE-NAME`.
    private func quarantineName(for address: StoreAddress) throws(SystemError) -> RelativePath {
        var seconds = Timestamp.now.seconds
        while true {
            let name = LibraryLayout.path("\(Library.replacedPrefix)\(seconds)\(Self.quarantineSuffix(address))")
            if try library.quarantine.status(of: name) == nil { return name }
            seconds &+= 1
        }
    }

    private static func quarantineSuffix(_ address: StoreAddress) -> String {
        "-\(address.bundle.manifest)-\(address.bundle.bundle)-\(address.name)"
    }

    /// What was replaced at an address, or was about to take its place.
    func contentAside(for address: StoreAddress) throws(SystemError) -> [RelativePath] {
        try library.quarantine.names().filter { name in
            guard let time = Library.replacementTime(name) else { return false }
            return name.description == "\(Library.replacedPrefix)\(time)\(Self.quarantineSuffix(address))"
        }
    }
}

extension Library {
    fileprivate static let replacedPrefix = "content-"

    fileprivate static func replacementTime(_ name: RelativePath) -> Int64? {
        let prefix = Array(replacedPrefix.utf8)
        guard name.bytes.starts(with: prefix) else { return nil }
        let digits = name.bytes.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "-") }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Damaged content that was replaced, and needn't be kept.
    func replacedContent(
        keeping count: Int, olderThan age: Duration, now: Timestamp
    ) throws(LibraryError) -> [RelativePath] {
        let names = try translating { () throws(SystemError) in try quarantine.names() }
        let replaced = names.compactMap { name in Self.replacementTime(name).map { (name: name, time: $0) } }
            .sorted { $0.time > $1.time }
        return replaced.enumerated().filter { index, item in
            // One from the future, by a clock that was wrong once, counts as young.
            index >= count || now.seconds &- item.time >= age.components.seconds
        }.map(\.element.name)
    }
}
