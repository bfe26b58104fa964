/// What an archive may do when it is unpacked.
public struct ExtractionPolicy: Hashable, Sendable {
    /// How much an archive may hold. Every limit is checked against what really comes out, not only against what is declared.
    public struct Limits: Hashable, Sendable {
        /// Entries in the archive; 1,000,000. As many directories again may be implied by their paths.
        public var entries = 1_000_000
        /// Bytes of all files together; 1 TiB.
        public var totalBytes: Int64 = 1 << 40
        /// Bytes of one file; 256 GiB.
        public var entryBytes: Int64 = 1 << 38
        /// Bytes that may come out for each byte of the archive; 250. The holes of sparse files don't count.
        public var ratio: Int64 = 250
        /// The ratio is looked at once more than this many bytes have come out; 64 MiB, so that small archives of repetitive files are fine.
        public var ratioFloorBytes: Int64 = 64 << 20
        /// Components of a path; 512.
        public var depth = 512

        /// The defaults.
        public init() {}

        /// Sets a ratio that somebody asked for: it holds from 1 MiB on, because it is meant for small archives as well.
        public mutating func setRatio(_ ratio: Int64) {
            self.ratio = ratio
            ratioFloorBytes = 1 << 20
        }
    }

    /// Whether names are judged for the machine at hand or for any.
    public enum Names: Hashable, Sendable {
        /// Names that differ only by case or Unicode normalisation are a warning.
        case native
        /// They are refused, and so are names that Windows can't hold.
        case portable
    }

    /// How much an archive may hold.
    public var limits = Limits()
    /// Whether files and directories get the modification times the archive gives; true.
    public var preservesTimes = true
    /// How names are judged; `native`.
    public var names = Names.native
    /// Which entries are created, and how much of their paths is dropped; everything. Formats that hold a single file refuse any other.
    public var selection = EntrySelection.everything
    /// What the one file in a gzip, zlib or deflate stream is called; nil for the name that gzip gives, or else the archive's own
    /// without its last extension. Must be a safe relative path.
    public var singleFileName: String?

    /// The defaults.
    public init() {}
}
