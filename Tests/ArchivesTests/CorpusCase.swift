import FoundationEssentials
import Platform
import Testing

/// One archive of the corpus, with the outcome it must have and the entries it holds.
struct CorpusCase: CustomTestStringConvertible {
    enum Class: String {
        case ok
        case okWithWarning = "ok-warn"
        case malformed = "refuse-format"
        case corrupted = "refuse-data"
        case unsupported = "refuse-unsupported"
        case unsafe = "refuse-unsafe"
        case either
    }

    struct Entry: Decodable {
        let type: String
        let name: String?
        let name_hex: String?
        let size: Int64?
        let crc32: String?
        let link: String?
        let mtime: Moment?
        let mode: String?

        var isExecutable: Bool { (Int(mode ?? "", radix: 8) ?? 0) & 0o111 != 0 }

        /// The name as the unpacker must write it; nil when the entry is the target itself.
        var path: RelativePath? {
            let bytes = name.map { Array($0.utf8) } ?? Self.bytes(hex: name_hex ?? "")
            let components = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
            return try? RelativePath(Array(components.joined(separator: [UInt8(ascii: "/")])))
        }

        private static func bytes(hex: String) -> [UInt8] {
            let digits = Array(hex.utf8)
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
        }
    }

    /// Seconds since 1970, whole; the list writes them as a number or as pax does.
    struct Moment: Decodable {
        let seconds: Int64

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            let number = try (try? value.decode(Double.self)) ?? Double(value.decode(String.self)) ?? .nan
            seconds = Int64(number.rounded(.down))
        }
    }

    let path: String
    let kind: String
    let expectedClass: Class
    let exercises: String
    let entries: [Entry]

    var testDescription: String { path }
    var file: String { Self.directory + "/" + path }

    static let directory: String = {
        let folders = #filePath.split(separator: "/").dropLast(2)
        return "/" + folders.joined(separator: "/") + "/Corpus/archives"
    }()

    static let all: [CorpusCase] = {
        do { return try load() } catch { preconditionFailure("the corpus can't be read: \(error)") }
    }()

    private struct Listing: Decodable {
        let path: String
        let entries: [Entry]
    }

    private static func load() throws -> [CorpusCase] {
        let folder = try Directory.open(directory)
        let listings = try folder.readFile("ENTRIES.jsonl", limitBytes: 1 << 24).split(separator: 10).map {
            try JSONDecoder().decode(Listing.self, from: Data($0))
        }
        let entries = Dictionary(listings.map { ($0.path, $0.entries) }, uniquingKeysWith: { first, _ in first })
        let table = String(decoding: try folder.readFile("EXPECTED.tsv", limitBytes: 1 << 22), as: UTF8.self)
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 4, let expected = Class(rawValue: fields[2]) else { return nil }
            return CorpusCase(
                path: fields[0], kind: fields[1], expectedClass: expected, exercises: fields[3],
                entries: entries[fields[0]] ?? [])
        }
    }
}
