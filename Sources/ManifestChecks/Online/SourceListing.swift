import BundleManifest
import JSONSyntax
import Jobs
import Transfer

/// What is to be asked next for a manifest: each source once, however many of these downloads name it.
struct SourceListing {
    /// One source of one download.
    struct Candidate {
        /// Which of `sources`.
        let source: Int
        /// Where the URL stands that led to it.
        let place: JSONValue
    }

    /// A download and what it may come from.
    struct Entry {
        let download: PlacedDownload
        let bundle: Bundle
        let candidates: [Candidate]
    }

    private(set) var sources: [ProbedSource] = []
    /// In the order of the manifest.
    private(set) var entries: [Entry] = []
    private var indices: [ProbedSource: Int] = [:]

    mutating func add(
        _ download: PlacedDownload, of bundle: Bundle, _ bases: SourceBases, _ findings: inout OnlineFindings
    ) {
        var headers = HeaderFields()
        for header in bundle.headers { headers.append(header.name, header.value) }
        var own: [Candidate] = []
        for (reference, place) in download.references {
            do throws(TransferURLError) {
                // Files are opened by `DeepCheck`.
                for url in try bases.urls(of: reference) where url.scheme != "file" {
                    own.append(Candidate(source: index(of: ProbedSource(url: url, headers: headers)), place: place))
                }
            } catch {
                findings.report(.unusableURL, "\(error)", at: place)
            }
        }
        entries.append(Entry(download: download, bundle: bundle, candidates: own))
    }

    private mutating func index(of source: ProbedSource) -> Int {
        if let known = indices[source] { return known }
        indices[source] = sources.count
        sources.append(source)
        return sources.count - 1
    }
}
