import Glibc
import Platform

/// Commits that a kill or a power loss cut short once their receipts were written.
extension LibraryWriter {
    /// Carries them to their ends: what was fetched, unpacked and flushed needn't be fetched again for want of a last rename. Nothing is taken on
    /// trust: the receipt must be whole, and every byte that it vouches for is read. What doesn't agree stays as it is, and is cleared.
    /// - Throws: also where it was stopped: then all of it is left to the next run.
    func finishCommits(_ isStopped: @escaping @Sendable () -> Bool) throws(LibraryError) {
        let staged = try translating { () throws(SystemError) in try library.staging.names() }
        for names in staged.compactMap(StagingNames.init(receipt:)) {
            // What can't be read proves nothing.
            guard let file = openReceipt(of: names), let header = try? ReceiptReader(file).header else { continue }
            try finish(names, as: header.origin.address, isStopped)
            if isStopped() {
                throw LibraryError(.system, "stopped before it was known what a run that was cut short had left")
            }
        }
    }

    private func openReceipt(of names: StagingNames) -> OwnedDescriptor? {
        try? library.staging.open(names.receipt, flags: O_RDONLY | O_NONBLOCK)
    }

    /// The content is still in staging, has its name in the store already, or is on its way into the place of damaged content.
    private func finish(
        _ names: StagingNames, as address: StoreAddress, _ isStopped: @escaping @Sendable () -> Bool
    ) throws(LibraryError) {
        // What is believed was about to be replaced since it had been found damaged; else nothing is to be done.
        let present = try library.store.open(address)
        if let present, let survey = try? ContentSurvey(ContentInspection(present), isStopped), survey.damage.isEmpty {
            return
        }
        let replaces = present != nil || isSeen(address)
        try translating { () throws(SystemError) in
            let parent = try openPlace(of: address.bundle)
            if try library.staging.status(of: names.content) != nil {
                guard isTrue(names, of: names.content, in: library.staging, isStopped) else { return }
                try place(names, at: address, in: parent, replaces: replaces)
            } else if !isTrue(names, of: address.name.path, in: parent, isStopped) {
                guard try parent.status(of: address.name.path)?.kind == .directory,
                    let aside = try contentAside(for: address).first(where: {
                        isTrue(names, of: $0, in: library.quarantine, isStopped)
                    })
                else { return }
                try exchange(aside, with: address, in: parent)
            }
            try moveReceipt(of: names, to: address.name, in: parent)
        }
    }

    /// Whether the directory holds what the receipt in staging tells, to the last byte, and nothing else.
    private func isTrue(
        _ names: StagingNames, of content: RelativePath, in parent: Directory,
        _ isStopped: @escaping @Sendable () -> Bool
    ) -> Bool {
        guard let receipt = openReceipt(of: names), let directory = try? parent.subdirectory(content),
            let survey = try? ContentSurvey(ContentInspection(directory, receipt: receipt), isStopped)
        else { return false }
        // Stopped, it may not have read all.
        return survey.damage.isEmpty && !isStopped()
    }
}
