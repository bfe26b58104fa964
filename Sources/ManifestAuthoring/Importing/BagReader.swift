import Diagnostics
import Platform

/// Reads a bag: what is fetched has its URL, what is here one that is relative to the manifest. Paths stand without `data/`: the payload is what was
/// packed, the rest is packing.
struct BagReader {
    private let bag: Bag
    private let intake: FileIntake
    /// Of the payload, by path: what is to be fetched, as far as the payload manifest hasn't named it.
    private var fetched: [RelativePath: Fetched] = [:]
    /// By other algorithms than the first's.
    private var otherDigests: [RelativePath: [(algorithm: DigestAlgorithm, hex: String)]] = [:]
    /// Nil as soon as some length isn't known.
    private var totalBytes: Int64? = 0
    private var count = 0
    /// How many of them are here, whole or not.
    private var localCount = 0

    private struct Fetched {
        let url: String
        /// `-` where nobody knows.
        let length: String
        let line: Int
    }

    static func read(_ bag: Bag, _ intake: FileIntake) throws(ImportProblem) -> ListFacts {
        try bag.checkTagFiles()
        _ = try bag.hasPayloadFolder()
        var reader = BagReader(bag: bag, intake: intake)
        try reader.readFetchList()
        try reader.readOtherManifests()
        try reader.readPayload()
        let information = try bag.information()
        // Of what isn't complete the missing files are told.
        if !intake.findings.hasRefusals {
            try reader.checkNothingIsUnlisted()
            try reader.checkTotal(information)
        }
        let title = information.first { $0.label == "external-description" }?.value
        return ListFacts(title: title?.isEmpty == true ? nil : title)
    }

    private mutating func readFetchList() throws(ImportProblem) {
        guard let list = try bag.fetchList() else { return }
        while let entry = try list.next() {
            let (url, length) = (entry.fields[0], entry.fields[1])
            guard length == "-" || decimal(length) != nil else {
                throw .invalid("\(entry.place): the length \(length.quotedForMessage()) is no number of bytes")
            }
            let new = Fetched(url: url, length: length, line: entry.line)
            guard fetched.updateValue(new, forKey: entry.path) == nil else {
                throw .invalid("\(entry.place): \(entry.path) is in the list already")
            }
        }
    }

    private mutating func readOtherManifests() throws(ImportProblem) {
        for algorithm in bag.manifests.dropFirst() {
            let list = try bag.payload(by: algorithm)
            while let entry = try list.next() {
                guard otherDigests[entry.path]?.last?.algorithm != algorithm else {
                    throw .invalid("\(entry.place): \(entry.path) is in the list already")
                }
                otherDigests[entry.path, default: []].append((algorithm, entry.fields[0]))
            }
        }
    }

    private mutating func readPayload() throws(ImportProblem) {
        let algorithm = bag.manifests[0]
        let list = try bag.payload(by: algorithm)
        while let entry = try list.next() { try take(entry, algorithm) }
        if let (path, entry) = fetched.min(by: { $0.value.line < $1.value.line }) {
            throw .invalid("\(bag.name)/fetch.txt:\(entry.line): \(path) isn't in \(list.name)")
        }
        if let path = otherDigests.keys.min(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            throw .invalid("\(list.name): \(path) isn't in it, though in another manifest of the bag")
        }
    }

    private mutating func take(_ entry: BagList.Entry, _ algorithm: DigestAlgorithm) throws(ImportProblem) {
        guard entry.path.bytes.starts(with: "data/".utf8) else {
            throw .invalid("\(entry.place): \(entry.path) isn't in data/, where a bag's payload is")
        }
        count += 1
        var file = ListedFile(line: entry.line)
        guard let name = String(validating: entry.path.bytes.dropFirst("data/".utf8.count), as: UTF8.self) else {
            throw .invalid("\(entry.place): the path isn't UTF-8 text")
        }
        file.name = name
        file.local = try bag.local(entry.path)
        file.digests = [(algorithm.rawValue, entry.fields[0])]
        if file.local != nil { localCount += 1 }
        let others = otherDigests.removeValue(forKey: entry.path) ?? []
        file.digests += others.map { ($0.algorithm.rawValue, $0.hex) }
        let fetched = fetched.removeValue(forKey: entry.path)
        if bag.listsAllInEach,
            let missing = bag.manifests.dropFirst().first(where: { algorithm in
                !others.contains { $0.algorithm == algorithm }
            })
        {
            return intake.refuse(
                line: entry.line,
                "\(entry.path) isn't in manifest-\(missing.plainName).txt, and each payload manifest has to list all of the payload"
            )
        }
        if let fetched {
            file.urls = [fetched.url]
            if fetched.length != "-" { file.size = fetched.length }
        }
        guard fetched != nil || file.local != nil else {
            return intake.refuse(
                line: entry.line, "\(entry.path) is neither in the bag nor in its fetch.txt: the bag isn't complete")
        }
        // What is here, but not whole, is still to be fetched; without a length nobody knows which it is.
        if let fetched, let local = file.local, decimal(fetched.length) != local.sizeBytes {
            file.local = nil
            let length = fetched.length == "-" ? "doesn't say how long it is" : "says \(fetched.length) bytes"
            intake.note(
                .partial, line: entry.line,
                "\(entry.path) is here with \(local.sizeBytes) bytes, and fetch.txt \(length): it is to be fetched")
        }
        addLength(file)
        try intake.take(file)
    }

    /// What lies in `data/` and is in no list would be left behind (RFC 8493 §3: the bag isn't valid).
    private func checkNothingIsUnlisted() throws(ImportProblem) {
        var found = 0
        try bag.forEachLocal { _ in found += 1 }
        guard found != localCount else { return }
        // Only now is it worth to hold all names.
        var listed: Set<RelativePath> = []
        let list = try bag.payload(by: bag.manifests[0])
        while let entry = try list.next() { listed.insert(entry.path) }
        var (first, count) = (RelativePath?.none, 0)
        try bag.forEachLocal { path in
            guard !listed.contains(path) else { return }
            count += 1
            if first.map({ path.bytes.lexicographicallyPrecedes($0.bytes) }) ?? true { first = path }
        }
        guard let first else { return }
        let others = count > 1 ? ", nor are \(count - 1) others" : ""
        throw .invalid(
            "\(bag.name)/\(first): it isn't in \(list.name)\(others): the bag isn't valid; list it there, or take it out of data/"
        )
    }

    private mutating func addLength(_ file: ListedFile) {
        guard let total = totalBytes, let length = file.local?.sizeBytes ?? file.size.flatMap({ decimal($0) }) else {
            totalBytes = nil
            return
        }
        let (sum, overflows) = total.addingReportingOverflow(length)
        totalBytes = overflows ? nil : sum
    }

    /// `Payload-Oxum: OCTETS.FILES` (RFC 8493 §2.2.2).
    private func checkTotal(_ information: [(label: String, value: String)]) throws(ImportProblem) {
        guard let text = information.first(where: { $0.label == "payload-oxum" })?.value else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { decimal($0) }
        guard parts.count == 2, let bytes = parts[0], let files = parts[1] else {
            throw .invalid("\(bag.name)/bag-info.txt: the Payload-Oxum \(text.quotedForMessage()) isn't BYTES.FILES")
        }
        guard files == Int64(count), totalBytes == nil || totalBytes == bytes else {
            throw .invalid(
                "\(bag.name)/bag-info.txt: the Payload-Oxum says \(bytes) bytes in \(files) files, and there are \(totalBytes.map { "\($0)" } ?? "others") in \(count)"
            )
        }
    }
}
