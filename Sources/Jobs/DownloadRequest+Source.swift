import BundleManifest
import Downloads
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
