import Diagnostics
import Platform

/// Reads Metalink 4 (RFC 5854) and Metalink 3, whose elements lie in a few more.
final class MetalinkReader: XMLHandler {
    /// Of the list, for messages.
    private let name: String
    private let intake: FileIntake
    /// Elements that are open, without those that only group others in Metalink 3.
    private var open: [String] = []
    private var file: Draft?
    private var attributes: [String: String] = [:]
    private var line = 0
    private var (title, version) = (CommonText(), CommonText())
    /// Of the whole list, kept as they stand.
    private var dates: [(name: String, text: CommonText)] = [("published", CommonText()), ("updated", CommonText())]

    private static let namespaces = ["urn:ietf:params:xml:ns:metalink", "http://www.metalinker.org/"]
    private static let groups: Set<String> = ["files", "resources", "verification"]
    /// Of a file, that are kept as they stand.
    private static let keptTexts: Set<String> = [
        "identity", "version", "description", "copyright", "language", "os", "changelog",
    ]
    private static let lastPriority = 999_999

    /// A file that is being read.
    private struct Draft {
        var listed: ListedFile
        var sources: [(url: String, priority: Int)] = []
        var texts: [(key: String, value: String)] = []

        func text(_ key: String) -> String? { texts.first { $0.key == key }?.value }
    }

    private init(_ name: String, _ intake: FileIntake) { (self.name, self.intake) = (name, intake) }

    static func read(_ input: ListInput, _ intake: FileIntake) throws(ImportProblem) -> ListFacts {
        let reader = MetalinkReader(input.name, intake)
        let xml = XMLReader(input.name, namespaces: namespaces, reader)
        try xml.read(input)
        guard reader.line > 0 else { throw .invalid("\(input.name): it is XML, but no Metalink") }
        let notes = reader.dates.compactMap { date in
            date.text.value.map { ImportedFile.Note(key: date.name, value: $0) }
        }
        return ListFacts(title: reader.title.value, version: reader.version.value, notes: notes)
    }

    // MARK: Elements

    func begin(_ name: String, _ attributes: [String: String], line: Int) throws(ImportProblem) {
        guard !open.isEmpty || name == "metalink" else {
            throw .invalid("\(self.name):\(line): a Metalink doesn't begin with <\(escapedText(name))>")
        }
        self.line = line
        self.attributes = attributes
        guard !Self.groups.contains(name) else { return }
        open.append(name)
        if open == ["metalink", "file"] {
            file = Draft(listed: ListedFile(line: line))
            file?.listed.name = attributes["name"]
        }
        if open == ["metalink", "file", "publisher"], let publisher = attributes["name"] {
            file?.texts.append(("publisher", publisher))
        }
    }

    func end(_ name: String, text: String) throws(ImportProblem) {
        guard !Self.groups.contains(name) else { return }
        defer { open.removeLast() }
        if open == ["metalink", "file"] { return try endFile() }
        switch open.count {
        case 2:
            // One that is there twice would be a key that is.
            if let index = dates.firstIndex(where: { $0.name == name }) { dates[index].text.add(text) }
        case 3 where open[1] == "file": addToFile(name, text)
        case 4 where open == ["metalink", "file", "publisher", "name"]: file?.texts.append(("publisher", text))
        default: break
        }
    }

    private func addToFile(_ name: String, _ text: String) {
        switch name {
        case "size":
            if let other = file?.listed.size, decimal(other) == nil || decimal(other) != decimal(text) {
                intake.refuse(
                    line: line,
                    "the file \((file?.listed.name ?? "").quotedForMessage()) has two different sizes, \(other.quotedForMessage()) and \(text.quotedForMessage())"
                )
            }
            file?.listed.size = text
        case "hash": file?.listed.digests.append((attributes["type"] ?? "", text))
        case "url": addURL(text)
        case "metaurl": intake.note(.peers, line: line, "what is fetched from peers is left out: a torrent")
        case "pieces":
            intake.note(.pieces, line: line, "digests of pieces are left out: a file is checked as a whole")
        case "signature": intake.note(.signature, line: line, "a file's signature is left out")
        case _ where Self.keptTexts.contains(name) && !text.isEmpty: file?.texts.append((name, text))
        default: break
        }
    }

    private func addURL(_ text: String) {
        // Of Metalink 4 the smallest number is first (RFC 5854 §4.2.16.1), of Metalink 3 the largest of at most 100.
        let priority = attributes["priority"].flatMap { Int($0) }
        let preference = attributes["preference"].flatMap { Int($0) }.map { 100 - min(max($0, 0), 100) }
        let isForPeers = attributes["type"]?.lowercased() == "bittorrent"
        guard !isForPeers else {
            return intake.note(.peers, line: line, "what is fetched from peers is left out: a torrent")
        }
        file?.sources.append((text, priority ?? preference ?? Self.lastPriority))
    }

    private func endFile() throws(ImportProblem) {
        guard var draft = file else { return }
        file = nil
        guard draft.listed.name?.isEmpty == false else {
            return intake.refuse(line: draft.listed.line, "a file has no name")
        }
        // Those of one priority in their order.
        draft.listed.urls = draft.sources.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element.url)
        draft.listed.notes = Dictionary(grouping: draft.texts, by: \.key)
            .map { ($0.key, $0.value.map(\.value).joined(separator: ", ")) }.sorted { $0.0 < $1.0 }
        title.add(draft.text("identity"))
        version.add(draft.text("version"))
        try intake.take(draft.listed)
    }
}
