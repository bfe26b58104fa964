import Glibc
import Platform
import TestSupport

@testable import ContentLibrary

/// A look at a library from outside: whether what readers see is what its receipts say, and whether anything lies there that nobody needs.
struct LibraryAudit {
    let path: String

    /// What is wrong with the current generation, a line each.
    func problems() throws -> [String] {
        let library = try Library.open(path, for: .reading)
        guard let generation = try library.generations.current() else { return [] }
        var found: [String] = []
        for manifest in generation.manifests.keys where try generation.manifestBytes(manifest) == nil {
            found.append("\(manifest) has no manifest in generation \(generation.number)")
        }
        for address in generation.addresses {
            guard let content = try library.store.open(address) else {
                found.append("\(address) is named, and has no receipt that is believed")
                continue
            }
            found += try problems(of: content.receipt(), at: "\(path)/store/\(address)")
        }
        return found
    }

    private func problems(of receipt: Receipt, at path: String) throws -> [String] {
        var found: [String] = []
        var expected: Set<String> = []
        for entry in receipt.entries {
            let entryPath = "\(path)/\(entry.path)"
            expected.insert(entryPath)
            guard case .file(let file) = entry.content else { continue }
            guard let bytes = try? readFile(entryPath) else {
                found.append("\(entryPath) is missing")
                continue
            }
            if SHA256.digest(of: bytes) != file.sha256 {
                found.append("\(entryPath) has other bytes than its receipt's")
            }
        }
        return found + (try files(beneath: path).filter { !expected.contains($0) }.map { "\($0) is in no receipt" })
    }

    private func files(beneath path: String) throws -> [String] {
        try directoryEntries(FilePathBytes(path)).flatMap { name -> [String] in
            let entry = "\(path)/\(name)"
            return isDirectory(entry) ? try files(beneath: entry) : [entry]
        }
    }

    /// What nobody needs: leftovers of runs, generations that were being written, content that no generation names.
    func orphans() throws -> [String] {
        let library = try Library.open(path, for: .reading)
        var found = try ["partial", "staging"].flatMap { try names(".larder/\($0)") }
        found += try names("generations").filter { GenerationNumber($0.dropFirst("generations/".count).utf8) == nil }
        found += try names(".larder").filter { $0.hasPrefix(".larder/.probe.") || $0 == ".larder/next-current" }
        let named = Set(
            try library.generations.addresses().flatMap { ["store/\($0)", "store/\($0).receipt"] })
        for manifest in try names("store") {
            for bundle in try names(manifest) {
                let contents = try names(bundle)
                found += contents.isEmpty ? [bundle] : contents.filter { !named.contains($0) }
            }
        }
        return found
    }

    /// Paths beneath the library.
    private func names(_ directory: String) throws -> [String] {
        try directoryEntries(FilePathBytes("\(path)/\(directory)")).map { "\(directory)/\($0)" }
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
