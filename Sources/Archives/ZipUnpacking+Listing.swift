extension ZipUnpacking {
    /// Tells what the central directory says; no content is read.
    func list(observer: UnpackObserver, _ body: (ListedEntry) -> Void) throws(ArchiveError) {
        for entry in archive.directory.entries {
            try observer.checkStop()
            let method = ZipMethod.name(of: entry.method)
            let listed = ListedEntry(
                name: Array(archive.directory.name(of: entry)), kind: listedKind(of: entry), sizeBytes: entry.sizeBytes,
                packedBytes: entry.compressedBytes, method: entry.isEncrypted ? "encrypted" : method, crc32: entry.crc,
                modifiedSeconds: entry.modifiedSeconds == ZipEntry.noTime ? nil : entry.modifiedSeconds)
            if let listed = policy.listed(listed) { body(listed) }
        }
    }

    private func listedKind(of entry: ZipEntry) -> ListedEntry.Kind {
        switch try? archive.kind(of: entry) {
        case .file: .file
        case .directory: .directory
        case .symbolicLink: .symbolicLink
        case nil: .other
        }
    }
}
