import Archives
import Platform

/// What a file is to a manifest, going by its name; whether its content agrees is looked at.
enum FileForm: Sendable {
    case archive, ebook

    private static let endings: [(text: String, form: FileForm, formats: Set<ArchiveFormat>)] = [
        (".zip", .archive, [.zip]), (".tar", .archive, [.tar]), (".tar.gz", .archive, [.tarGzip]),
        (".tgz", .archive, [.tarGzip]), (".epub", .ebook, [.zip]),
    ]

    /// The form that the ending of a name promises, and what the name is without it; nil for files that stand for themselves.
    static func promised(by name: RelativePath) -> (form: FileForm, formats: Set<ArchiveFormat>, stem: [UInt8])? {
        let lower = name.bytes.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
        for ending in endings where lower.count > ending.text.utf8.count && lower.hasSuffix(ending.text) {
            return (ending.form, ending.formats, Array(name.bytes.dropLast(ending.text.utf8.count)))
        }
        return nil
    }

    /// The kind of bundle.
    var kind: String {
        switch self {
        case .archive: "archive"
        case .ebook: "ebook"
        }
    }

    static func isPlaylist(_ name: RelativePath) -> Bool {
        name.bytes.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }.hasSuffix(".m3u8")
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
