import JSONSyntax
import Platform

/// What the rules about all sources of a manifest have to know of each, gathered while these are decoded.
struct SourceFacts: Sendable {
    /// A source with a digest and a size. There may be a million: of the digest no more is kept than what finds its likes.
    struct Sized {
        let digestHash: Int
        let sizeBytes: Int
        /// The object that has them.
        let place: JSONPlace
    }

    /// Bundles that have something in common.
    struct Tally {
        private(set) var count = 0
        private(set) var first: JSONValue?

        mutating func add(_ place: JSONValue) {
            count += 1
            first = first ?? place
        }

        mutating func append(_ other: Tally) {
            count += other.count
            first = first ?? other.first
        }
    }

    private(set) var sized: [Sized] = []
    /// With a source that has relative URLs only.
    private(set) var bundlesWithRelativeURLs = Tally()
    /// With a source that has one URL only.
    private(set) var bundlesWithSingleURLs = Tally()
    /// With a source whose one URL is absolute, so that further mirrors are none for it.
    private(set) var bundlesWithSingleAbsoluteURLs = Tally()

    // What the bundle has that is being decoded.
    private var hasRelativeURL = false
    private var hasSingleURL = false
    private var hasSingleAbsoluteURL = false

    mutating func add(_ source: SourceDraft, at place: JSONValue) {
        if let digest = source.digest, let sizeBytes = source.sizeBytes {
            sized.append(Sized(digestHash: digest.hashValue, sizeBytes: sizeBytes, place: place.place))
        }
        hasRelativeURL = hasRelativeURL || !(source.urls.isEmpty || source.urls.contains(where: \.isAbsolute))
        guard source.urls.count == 1 else { return }
        hasSingleURL = true
        hasSingleAbsoluteURL = hasSingleAbsoluteURL || source.urls[0].isAbsolute
    }

    /// All sources of a bundle have been added.
    mutating func endBundle(at place: JSONValue) {
        if hasRelativeURL { bundlesWithRelativeURLs.add(place) }
        if hasSingleURL { bundlesWithSingleURLs.add(place) }
        if hasSingleAbsoluteURL { bundlesWithSingleAbsoluteURLs.add(place) }
        (hasRelativeURL, hasSingleURL, hasSingleAbsoluteURL) = (false, false, false)
    }

    /// Adds those of a later part of the text.
    mutating func append(_ other: SourceFacts) {
        sized += other.sized
        bundlesWithRelativeURLs.append(other.bundlesWithRelativeURLs)
        bundlesWithSingleURLs.append(other.bundlesWithSingleURLs)
        bundlesWithSingleAbsoluteURLs.append(other.bundlesWithSingleAbsoluteURLs)
        hasRelativeURL = hasRelativeURL || other.hasRelativeURL
        hasSingleURL = hasSingleURL || other.hasSingleURL
        hasSingleAbsoluteURL = hasSingleAbsoluteURL || other.hasSingleAbsoluteURL
    }
}
