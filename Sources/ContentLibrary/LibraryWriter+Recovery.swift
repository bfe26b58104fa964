import Glibc
import Platform

/// Commits that a kill or a power loss cut short once their receipts were written.
extension LibraryWriter {
    /// Carries them to their ends: what was fetched, unpacked and flushed needn't be fetched again for want of a last rename. Nothing is taken on
    /// trust: the receipt must be whole, and every byte that it vouches for is read. What doesn't agree stays as it is, and is cleared.
    func finishCommits() throws(LibraryError) {
        let staged = try translating { () throws(SystemError) in try library.staging.names() }
        for names in staged.compactMap(StagingNames.init(receipt:)) {
            guard let receipt = wholeReceipt(of: names) else { continue }
            try finish(receipt, of: names)
        }
    }

    private func wholeReceipt(of names: StagingNames) -> Receipt? {
        guard let file = try? library.staging.open(names.receipt, flags: O_RDONLY | O_NONBLOCK),
            var reader = try? ReceiptReader(file)
        else { return nil }
        return try? reader.receipt()
    }

    /// The content is still in staging, or has its name in the store already.
    private func finish(_ receipt: Receipt, of names: StagingNames) throws(LibraryError) {
        let address = receipt.header.origin.address
        guard try library.store.open(address) == nil else { return }
        try translating { () throws(SystemError) in
            let parent = try openPlace(of: address.bundle)
            if try library.staging.status(of: names.content) != nil {
                guard receipt.isTrue(of: names.content, in: library.staging) else { return }
                try clearPlace(address.name, in: parent, displacingTo: names)
                try moveContent(of: names, to: address.name, in: parent)
            } else {
                guard receipt.isTrue(of: address.name.path, in: parent) else { return }
            }
            try moveReceipt(of: names, to: address.name, in: parent)
        }
    }
}

extension Receipt {
    /// Whether the directory `name` holds what this tells, to the last byte, and nothing else. What can't be read isn't true.
    fileprivate func isTrue(of name: RelativePath, in parent: Directory) -> Bool {
        guard let directory = try? parent.subdirectory(name), let found = try? directory.paths() else { return false }
        return found == Set(entries.map(\.path)) && entries.allSatisfy { $0.isTrue(in: directory) }
    }
}

extension Receipt.Entry {
    fileprivate func isTrue(in directory: Directory) -> Bool {
        switch content {
        case .emptyDirectory: (try? directory.status(of: path))?.kind == .directory
        case .symbolicLink(let target): (try? directory.linkTarget(of: path)) == target
        case .file(let wanted):
            if let file = try? directory.open(path, flags: O_RDONLY | O_NONBLOCK), let status = try? file.status() {
                status.kind == .file && status.sizeBytes == wanted.sizeBytes && status.mode == wanted.mode
                    && status.modified == wanted.modified && (try? file.sha256()) == wanted.sha256
            } else {
                false
            }
        }
    }
}

extension Directory {
    /// The paths of all that is beneath, as a receipt lists them: of directories only the empty ones.
    fileprivate func paths() throws -> Set<RelativePath> {
        var found: Set<RelativePath> = []
        var pending: [RelativePath?] = [nil]
        while let prefix = pending.popLast() {
            let names = try prefix.map { prefix throws(SystemError) in try subdirectory(prefix).names() } ?? names()
            if names.isEmpty, let prefix { found.insert(prefix) }
            for name in names {
                let path = try prefix?.appending(name) ?? name
                if try status(of: path)?.kind == .directory { pending.append(path) } else { found.insert(path) }
            }
        }
        return found
    }
}
