import Archives
import BundleManifest
import Platform

/// Checks what every reader of an EPUB begins with (EPUB 3.3, section 4.2), and that the archive is sound.
struct EPUBCheck {
    let file: LocalFile
    let isStopped: @Sendable () -> Bool

    private static let containerPath = "META-INF/container.xml"
    /// Real ones have some hundred bytes.
    private static let containerLimitBytes = 64 << 10

    /// What is of interest within the book.
    private struct Contents {
        var paths: Set<[UInt8]> = []
        var container: [UInt8] = []
    }

    func problems() -> [FileProblem] {
        do throws(ArchiveError) {
            let source = try FileSource(file.descriptor, name: file.name)
            let unpacker = Unpacker(source: source, format: .zip)
            let contents = Locked(Contents())
            var observer = UnpackObserver(shouldStop: isStopped)
            observer.didExamine = { path, bytes, _ in
                guard path == Self.container else { return }
                contents.withLock { contents in
                    contents.container += bytes.prefix(Self.containerLimitBytes - contents.container.count)
                }
            }
            _ = try unpacker.check(observer: observer)
            _ = try unpacker.list { entry in _ = contents.withLock { $0.paths.insert(entry.name) } }
            return mimetypeProblems(source) + containerProblems(contents.withLock { $0 })
        } catch {
            if error.code == .stopped { return [] }
            return [FileProblem(rule: .archiveDamaged, message: "\(error)")]
        }
    }

    private static let container: RelativePath = "META-INF/container.xml"

    /// The local header of the first entry, as APPNOTE 4.3.7 lays it out.
    private func mimetypeProblems(_ source: FileSource) -> [FileProblem] {
        func found(_ what: String) -> [FileProblem] {
            [FileProblem(rule: .epubMimetype, message: "\(file.name): \(what)")]
        }
        guard let ends = try? file.ends(), ends.number(at: 0, bytes: 4) == 0x0403_4B50,
            let nameBytes = ends.number(at: 26, bytes: 2), let extraBytes = ends.number(at: 28, bytes: 2)
        else { return found("the file doesn't begin with an entry") }
        guard nameBytes == 8, ends.starts(with: Array("mimetype".utf8), at: 30) else {
            return found("its first entry isn't 'mimetype'")
        }
        guard ends.number(at: 8, bytes: 2) == 0 else { return found("the entry 'mimetype' is compressed") }
        guard extraBytes == 0 else { return found("the entry 'mimetype' has an extra field") }
        let type = Array("application/epub+zip".utf8)
        guard ends.starts(with: type, at: 38),
            ends.number(at: 22, bytes: 4).map({ $0 == 0 || $0 == type.count }) ?? false
        else { return found("the entry 'mimetype' doesn't hold application/epub+zip") }
        return []
    }

    private func containerProblems(_ contents: Contents) -> [FileProblem] {
        guard contents.paths.contains(Array(Self.containerPath.utf8)) else {
            return [FileProblem(rule: .epubContainer, message: "\(file.name): there is no \(Self.containerPath) in it")]
        }
        let rootfiles = Self.rootfiles(in: String(decoding: contents.container, as: UTF8.self))
        guard !rootfiles.isEmpty else {
            return [
                FileProblem(
                    rule: .epubContainer, message: "\(file.name): \(Self.containerPath) names no package document")
            ]
        }
        return rootfiles.filter { !contents.paths.contains(Array($0.utf8)) }.map { path in
            FileProblem(
                rule: .epubRootfile,
                message: "\(file.name): \(Self.containerPath) names '\(escapedText(path))', which isn't in it")
        }
    }

    /// The `full-path` of each `rootfile` element, whatever prefix its name has.
    private static func rootfiles(in xml: String) -> [String] {
        xml.withoutComments.split(separator: "<").compactMap { tag in
            let name = tag.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
            guard name.split(separator: ":").last == "rootfile" else { return nil }
            return tag.dropFirst(name.count).attribute("full-path")
        }
    }
}

extension String {
    fileprivate var withoutComments: String {
        var (text, rest) = ("", self[...])
        while let start = rest.firstRange(of: "<!--") {
            text += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstRange(of: "-->") else { return text }
            rest = rest[end.upperBound...]
        }
        return text + rest
    }
}

extension Substring {
    /// The value of an attribute of the tag whose name was dropped; the five entities of XML are resolved.
    fileprivate func attribute(_ name: String) -> String? {
        var rest = self
        while let found = rest.firstRange(of: name) {
            let isWhole = found.lowerBound > startIndex && self[index(before: found.lowerBound)].isWhitespace
            rest = rest[found.upperBound...].drop(while: \.isWhitespace)
            guard isWhole, rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            guard let quote = rest.popFirst(), quote == "\"" || quote == "'" else { return nil }
            let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
            return entities.reduce(String(rest.prefix { $0 != quote })) { $0.replacing($1.0, with: $1.1) }
        }
        return nil
    }
}
