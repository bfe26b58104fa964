import Glibc
import Platform

/// Something of a generation that isn't as it was published.
enum GenerationLoss: Hashable {
    /// The list of what it was published with.
    case list
    /// Whatever the list lacks, which had to be made anew: nobody can tell whether there was anything.
    case more
    /// A manifest's directory, with all that is in it.
    case directory(ContentID)
    /// The exact bytes of a manifest: they are gone, or others.
    case manifest(ContentID, isThere: Bool)
    /// The link to a bundle's content: it is gone, or leads elsewhere.
    case link(BundleAddress, isThere: Bool)
    /// Something else has the name of a manifest's directory, or of a bundle's link.
    case occupied(RelativePath)
}

/// How closely a generation is looked at.
package enum GenerationScrutiny: Comparable, Sendable {
    /// Whether everything is there that has a name: two system calls a manifest.
    case names
    /// Also whether links lead where they did: one more a bundle.
    case links
    /// Also whether manifests have the bytes that were published: all of them are read.
    case bytes
}

extension Generation {
    /// Holds what is there against what was published.
    func losses(_ scrutiny: GenerationScrutiny) throws(LibraryError) -> [GenerationLoss] {
        guard let list else { return [.list] }
        var losses: [GenerationLoss] = list.isIncomplete ? [.more] : []
        for (id, manifest) in list.manifests.sorted(by: { $0.key < $1.key }) {
            switch try translating({ () throws(SystemError) in try directory.status(of: id.path)?.kind }) {
            case .directory: try addLosses(of: id, manifest, scrutiny, to: &losses)
            case nil: losses.append(.directory(id))
            default: losses.append(.occupied(id.path))
            }
        }
        return losses
    }

    private func addLosses(
        of id: ContentID, _ manifest: GenerationList.Manifest, _ scrutiny: GenerationScrutiny,
        to losses: inout [GenerationLoss]
    ) throws(LibraryError) {
        let (holder, names) = try translating { () throws(SystemError) in
            let holder = try directory.subdirectory(id.path)
            return (holder, Set(try holder.names()))
        }
        if !names.contains(LibraryLayout.manifestFile) {
            losses.append(.manifest(id, isThere: false))
        } else if scrutiny >= .bytes, try manifestBytes(id) == nil {
            losses.append(.manifest(id, isThere: true))
        }
        for (bundle, name) in manifest.bundles.sorted(by: { $0.key < $1.key }) {
            let address = StoreAddress(bundle: BundleAddress(manifest: id, bundle: bundle), name: name)
            if !names.contains(bundle.path) {
                losses.append(.link(address.bundle, isThere: false))
            } else if scrutiny >= .links, let loss = try wrongLink(holder, address, id) {
                losses.append(loss)
            }
        }
    }

    private func wrongLink(
        _ holder: Directory, _ content: StoreAddress, _ manifest: ContentID
    ) throws(LibraryError) -> GenerationLoss? {
        let name = content.bundle.bundle.path
        do throws(SystemError) {
            return try holder.linkTarget(of: name) == content.linkTarget ? nil : .link(content.bundle, isThere: true)
        } catch {
            // What the kernel says of something that is no link.
            guard error.code == EINVAL else { throw LibraryError(error) }
            return .occupied((try? manifest.path.appending(name)) ?? manifest.path)
        }
    }

    /// What isn't as it was published, a line each, with the way out.
    /// - Parameter isOld: whether it isn't current: then no sync brings a manifest's bytes back that nothing else has.
    package func problems(_ scrutiny: GenerationScrutiny, isOld: Bool = false) throws(LibraryError) -> [String] {
        try losses(scrutiny).map { loss in
            problem(
                loss,
                manifestWay: isOld
                    ? "it goes with its generation: larder clean --keep 1 --keep-age 0s" : "sync the manifest again")
        }
    }

    /// The same of what readers find, but for manifests.
    func linkProblems() throws(LibraryError) -> [String] {
        try losses(.links).compactMap { loss in
            switch loss {
            case .list, .more, .manifest: nil
            case .directory, .link, .occupied: problem(loss, manifestWay: "sync that again")
            }
        }
    }

    private func problem(_ loss: GenerationLoss, manifestWay: String) -> String {
        let mended = "the next sync, or larder verify --repair, puts it back"
        return switch loss {
        case .list:
            "\(directory.name)/\(LibraryLayout.generationList), which tells what was published, is missing or damaged; the next sync, or larder verify --repair, makes it anew"
        case .more:
            "\(directory.name)/\(LibraryLayout.generationList) was lost and is made anew by what was there, which may not be all that was published; \(manifestWay)"
        case .directory(let id):
            "\(directory.name)/\(id) is missing; \(mended), but for its manifest: \(manifestWay)"
        case .manifest(let id, let isThere):
            "\(directory.name)/\(id)/\(LibraryLayout.manifestFile) \(isThere ? "isn't what was published" : "is missing"); \(manifestWay)"
        case .link(let bundle, let isThere):
            "\(directory.name)/\(bundle) \(isThere ? "leads elsewhere" : "is missing"); \(mended)"
        case .occupied(let path):
            "\(directory.name)/\(path) is not what was published, but something that somebody put there; take it away, and \(mended)"
        }
    }
}
