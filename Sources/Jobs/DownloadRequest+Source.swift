import BundleManifest
import Downloads
import Platform
import Transfer

extension DownloadRequest {
    /// What is asked for one file of a bundle, by the run and by whoever looks what is held of it.
    init(
        _ url: TransferURL, mirrors: [TransferURL], of source: SourceFile, in bundle: Bundle, redirects: RedirectPolicy
    ) {
        self.init(url, mirrors: mirrors)
        sizeBytes = source.sizeBytes.map(Int64.init)
        digest = source.digest
        priority = bundle.priority
        self.redirects = redirects
        for header in bundle.headers { headers.append(header.name, header.value) }
    }
}

extension LoadedManifest {
    /// The downloads that bring a file of a bundle, in the order they are tried; none where all its sources are local, or none can be told.
    func requests(for file: SourceFile, in bundle: Bundle, redirects: RedirectPolicy) -> [DownloadRequest] {
        let sources = (try? sources(file)) ?? []
        return sources.serversByReach.map { servers in
            DownloadRequest(
                servers[0], mirrors: Array(servers.dropFirst()), of: file, in: bundle, redirects: redirects)
        }
    }

    /// What the partial files are called that the manifest's downloads gather in.
    func partialNames(in store: ResumeStore, redirects: RedirectPolicy) -> [RelativePath] {
        manifest.bundles.flatMap { bundle in
            bundle.sources.flatMap { requests(for: $0.file, in: bundle, redirects: redirects) }
        }.compactMap(store.partialName)
    }
}
