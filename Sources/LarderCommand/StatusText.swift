import ContentLibrary
import Downloads
import Jobs
import Platform

/// What `larder status` prints for people.
struct StatusText {
    private(set) var text = ""
    private let status: LibraryStatus

    init(_ status: LibraryStatus) {
        self.status = status
        addLibrary()
        for manifest in status.manifests { add(manifest) }
        addUnfinished()
        addDisk()
        for problem in status.problems { text += "warning: \(problem)\n" }
    }

    private func age(_ time: Timestamp) -> String { HumanQuantity.age(time, at: status.time) }

    private mutating func addLibrary() {
        if let current = status.current {
            let published = status.published.map { ", published \(age($0)) ago" } ?? ""
            let kept = HumanQuantity.count(status.generations.count, "generation", "generations")
            text += "\(escapedText(status.path)): generation \(current.value)\(published); \(kept) kept\n"
        } else {
            let isLost = !status.generations.isEmpty
            text +=
                "\(escapedText(status.path)): \(isLost ? "no generation is current" : "nothing has been published")\n"
        }
        if let pin = status.pin { text += "\(Self.text(pin)), set \(age(pin.created)) ago\n" }
        if let process = status.writingProcess { text += "a run is at work: process \(process)\n" }
        if let run = status.lastRun {
            text += "last run: \(HistoryText.line(of: run, at: status.time))\n"
        } else if !status.hasIndex {
            text += "how runs and bundles fared is not known: there is no index that could be read\n"
        }
        for refusal in status.refusals {
            text += "not followed for \(age(refusal.since)): \(escapedText(refusal.reason))\n"
        }
    }

    static func text(_ pin: LibraryPin) -> String {
        switch pin.hold {
        case .everything: "pinned to generation \(pin.generation.value) until larder unpin"
        case .serials(let serials):
            "held at generation \(pin.generation.value) until larder unpin, or a higher serial: "
                + serials.sorted { $0.key < $1.key }.map { "\($0.key) above \($0.value)" }.joined(separator: ", ")
        }
    }

    // MARK: Bundles

    private mutating func add(_ manifest: ManifestStatus) {
        let serial = manifest.serial.map { ", serial \($0)" } ?? ""
        let looked = manifest.lastSuccess.map { ", up to date \(age($0)) ago" } ?? ""
        let expiry = manifest.expires.map { $0 < status.time ? ", expired \(age($0)) ago" : "" } ?? ""
        text += "\n\(manifest.id)\(serial)\(looked)\(expiry)\n"
        let isHeld = status.pin?.holds(manifest.id, serial: manifest.serial ?? 0) ?? false
        let rows = manifest.bundles.map { row($0, isHeld: isHeld) }
        let widths = (0..<5).map { column in rows.map { Self.width(of: $0[column]) }.max() ?? 0 }
        for row in rows {
            for (column, width) in widths.enumerated() {
                let gap = String(repeating: " ", count: width - Self.width(of: row[column]))
                text += "  "
                text += (2...4).contains(column) ? gap : row[column]
                text += (2...4).contains(column) ? row[column] : gap
            }
            text += "  "
            text += row[5]
            text += "\n"
        }
    }

    /// How many characters there are: which is looked for one by one only where they aren't all ASCII.
    private static func width(of cell: String) -> Int {
        cell.utf8.allSatisfy { $0 < 0x80 } ? cell.utf8.count : cell.count
    }

    /// Name, version, age, size, files, and the rest in words.
    private func row(_ bundle: BundleStatus, isHeld: Bool) -> [String] {
        let words = words(bundle, isHeld: isHeld)
        guard let header = bundle.content?.header else { return ["\(bundle.id)", "-", "", "", "", words] }
        return [
            "\(bundle.id)", escapedText(header.origin.version), age(header.origin.created),
            HumanQuantity.bytes(header.contentBytes), HumanQuantity.count(header.entryCount, "file", "files"), words,
        ]
    }

    private func words(_ bundle: BundleStatus, isHeld: Bool) -> String {
        let source = bundle.content?.firstURL.map { ", from \(shownURL($0))" } ?? ""
        switch bundle.state {
        case .upToDate: return "up to date" + source
        case .published: return "published" + source
        case .missing: return "not here yet"
        case .damaged: return "damaged; \(isHeld ? "larder verify --repair" : "the next sync") mends it"
        case .paused: return paused(bundle)
        case .failed: return failed(bundle, isHeld: isHeld)
        }
    }

    private func paused(_ bundle: BundleStatus) -> String {
        var text = "paused"
        if let pause = bundle.record?.pause {
            text +=
                " \(age(pause.time)) ago, at \(HumanQuantity.bytes(pause.heldBytes)) of \(HumanQuantity.bytes(pause.plannedBytes))"
        }
        if let staged = bundle.staged, staged.files > 0 {
            text +=
                ", \(HumanQuantity.count(staged.files, "file", "files")) complete (\(HumanQuantity.bytes(staged.bytes)))"
        }
        return text
    }

    private func failed(_ bundle: BundleStatus, isHeld: Bool) -> String {
        guard let record = bundle.record, let failure = record.failure else { return "failed" }
        let times = record.failureCount == 1 ? "once" : "\(record.failureCount) times"
        let last = record.lastFailure.map { ", \(age($0)) ago" } ?? ""
        let outlook = Self.outlook(record, at: status.time, isHeld: isHeld)
        return "failed \(times)\(last): \(escapedText(failure)); \(outlook)"
    }

    /// When it is tried again.
    /// - Parameter isHeld: whether a pin keeps its manifest from being published.
    static func outlook(_ record: BundleRecord, at now: Timestamp, isHeld: Bool) -> String {
        if isHeld { return "not tried again while the library is held" }
        guard let next = record.nextTry, next > now else { return "the next run tries again" }
        return "refresh tries again after \(next.rfc3339), sync at once"
    }

    // MARK: The rest

    private mutating func addUnfinished() {
        guard !status.unfinished.isEmpty else { return }
        text += "\nunfinished downloads:\n"
        for download in status.unfinished {
            let total = download.totalBytes.map { " of \(HumanQuantity.bytes($0))" } ?? ""
            let url = download.url.map(shownURL) ?? "of which nothing is known"
            text += "  \(HumanQuantity.bytes(download.heldBytes))\(total)  \(url)  (\(age(download.modified)) ago)\n"
        }
    }

    private mutating func addDisk() {
        let disk = status.disk
        var parts = ["\(HumanQuantity.bytes(status.contentBytes)) of content"]
        if disk.unfinishedBytes > 0 { parts.append("\(HumanQuantity.bytes(disk.unfinishedBytes)) unfinished") }
        if disk.quarantineBytes > 0 { parts.append("\(HumanQuantity.bytes(disk.quarantineBytes)) in quarantine") }
        text += "\ndisk: " + parts.joined(separator: ", ")
        if let free = disk.freeBytes, let total = disk.totalBytes {
            text += "; \(HumanQuantity.bytes(free)) of \(HumanQuantity.bytes(total)) free"
        }
        text += "\n"
    }
}
