import BundleManifest
import JSONSyntax
import Jobs
import Transfer

/// All that is to be asked for a manifest: each source once, however many downloads name it.
struct SourceListing {
    /// One source of one download.
    struct Candidate {
        /// Which of `sources`.
        let source: Int
        /// Where the URL stands that led to it.
        let place: JSONValue
    }

    private(set) var sources: [ProbedSource] = []
    /// For each download of each bundle, in their order, what it may come from.
    private(set) var candidates: [[Candidate]] = []
    private var indices: [ProbedSource: Int] = [:]

    init(_ placed: PlacedManifest, _ bases: SourceBases, _ findings: inout OnlineFindings) {
        for bundle in placed.bundles {
            var headers = HeaderFields()
            for header in bundle.bundle.headers { headers.append(header.name, header.value) }
            for download in bundle.downloads { add(download, headers, bases, &findings) }
        }
    }

    private mutating func add(
        _ download: PlacedDownload, _ headers: HeaderFields, _ bases: SourceBases, _ findings: inout OnlineFindings
    ) {
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
        candidates.append(own)
    }

    private mutating func index(of source: ProbedSource) -> Int {
        if let known = indices[source] { return known }
        indices[source] = sources.count
        sources.append(source)
        return sources.count - 1
    }
}
