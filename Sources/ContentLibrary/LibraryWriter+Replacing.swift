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
        // First: what is displaced is never where the next run clears up.
        try library.staging.rename(staging.content, to: aside, in: library.quarantine, replacing: false)
        do {
            try library.quarantine.exchange(aside, with: address.name.path, in: parent)
        } catch {
            _ = try? library.quarantine.removeTree(aside)
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            throw SystemError(
                code: EOPNOTSUPP, operation: "replace damaged content in one step, as this file system would have to,",
                subject: "at \(address); remove its directory, and the next sync fetches the bundle again")
        }
        try parent.synchronize()
        try library.quarantine.synchronize()
    }

    /// Lets go of damaged content that was replaced so long ago that nobody reads it any more: none of it while a reader holds a generation.
    package func discardReplacedContent(
        olderThan age: Duration = .seconds(24 * 60 * 60), now: Timestamp = .now
    ) throws(LibraryError) {
        let quarantine = library.quarantine
        let names = try translating { () throws(SystemError) in try quarantine.names() }
        let doomed = names.filter { name in
            // One from the future, by a clock that was wrong once, counts as young.
            Self.replacementTime(name).map { now.seconds &- $0 > age.components.seconds } ?? false
        }
        guard !doomed.isEmpty, try !isAnyGenerationHeld() else { return }
        try translating { () throws(SystemError) in
            for name in doomed { try quarantine.removeTree(name) }
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

    private static let quarantinePrefix = "content-"

    /// `content-SECONDS-MANIFEST-BUNDLE-NAME`: for people, but for the time.
    private func quarantineName(for address: StoreAddress) throws(SystemError) -> RelativePath {
        var seconds = Timestamp.now.seconds
        while true {
            let bundle = address.bundle
            let name = LibraryLayout.path(
                "\(Self.quarantinePrefix)\(seconds)-\(bundle.manifest)-\(bundle.bundle)-\(address.name)")
            if try library.quarantine.status(of: name) == nil { return name }
            seconds &+= 1
        }
    }

    private static func replacementTime(_ name: RelativePath) -> Int64? {
        let prefix = Array(quarantinePrefix.utf8)
        guard name.bytes.starts(with: prefix) else { return nil }
        let digits = name.bytes.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "-") }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
