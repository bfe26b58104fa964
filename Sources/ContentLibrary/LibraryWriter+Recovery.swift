import Glibc
import Platform

/// Commits that a kill or a power loss cut short once their receipts were written.
extension LibraryWriter {
    /// Carries them to their ends: what was fetched, unpacked and flushed needn't be fetched again for want of a last rename. Nothing is taken on
    /// trust: the receipt must be whole, and every byte that it vouches for is read. What doesn't agree stays as it is, and is cleared.
    func finishCommits() throws(LibraryError) {
        let staged = try translating { () throws(SystemError) in try library.staging.names() }
        for names in staged.compactMap(StagingNames.init(receipt:)) {
            // What can't be read proves nothing.
            guard let file = openReceipt(of: names), let header = try? ReceiptReader(file).header else { continue }
            try finish(names, as: header.origin.address)
        }
    }

    private func openReceipt(of names: StagingNames) -> OwnedDescriptor? {
        try? library.staging.open(names.receipt, flags: O_RDONLY | O_NONBLOCK)
    }

    /// The content is still in staging, has its name in the store already, or is on its way into the place of damaged content.
    private func finish(_ names: StagingNames, as address: StoreAddress) throws(LibraryError) {
        // What is believed was about to be replaced since it had been found damaged; else nothing is to be done.
        let present = try library.store.open(address)
        if let present, let survey = try? ContentSurvey(ContentInspection(present)), survey.damage.isEmpty { return }
        // Where readers are led to it, it is never missing.
        let isSeen = if present != nil { true } else { try library.generations.addresses().contains(address) }
        try translating { () throws(SystemError) in
            let parent = try openPlace(of: address.bundle)
            if try library.staging.status(of: names.content) != nil {
                guard isTrue(names, of: names.content, in: library.staging) else { return }
                if isSeen, try parent.status(of: address.name.path)?.kind == .directory {
                    try replaceContent(at: address, in: parent, by: names)
                } else {
                    try clearPlace(address.name, in: parent, displacingTo: names)
                    try moveContent(of: names, to: address.name, in: parent)
                }
            } else if !isTrue(names, of: address.name.path, in: parent) {
                guard try parent.status(of: address.name.path)?.kind == .directory,
                    let aside = try contentAside(for: address).first(where: {
                        isTrue(names, of: $0, in: library.quarantine)
                    })
                else { return }
                try exchange(aside, with: address, in: parent)
            }
            try moveReceipt(of: names, to: address.name, in: parent)
        }
    }

    /// Whether the directory holds what the receipt in staging tells, to the last byte, and nothing else.
    private func isTrue(_ names: StagingNames, of content: RelativePath, in parent: Directory) -> Bool {
        guard let receipt = openReceipt(of: names), let directory = try? parent.subdirectory(content),
            let survey = try? ContentSurvey(ContentInspection(directory, receipt: receipt))
        else { return false }
        return survey.damage.isEmpty
    }
}
