import Archives
import BundleManifest
import Platform

/// Which of an archive's paths each pattern of a selection is about.
struct SelectionUse {
    private struct Use {
        let key: String
        let index: Int
        let text: String
        let pattern: PathPattern
        var isUsed = false
    }

    private let strip: Int
    private var uses: [Use] = []
    private var strippedFiles = 0
    private var firstStripped = ""

    init(_ unpack: UnpackOptions) {
        strip = unpack.strip
        for (key, patterns) in [("include", unpack.include), ("exclude", unpack.exclude)] {
            uses += patterns.enumerated().compactMap { index, text in
                // One that is none was found when the manifest was read.
                (try? PathPattern(text)).map { Use(key: key, index: index, text: text, pattern: $0) }
            }
        }
    }

    mutating func note(_ entry: ListedEntry) {
        // A tar's names may begin with `./`, a folder's ends with a slash.
        let components = entry.name.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
        let kept = Array(components.dropFirst(strip))
        let isDirectory = entry.kind == .directory
        guard !kept.isEmpty else {
            if !isDirectory {
                if strippedFiles == 0 { firstStripped = escapedText(entry.name) }
                strippedFiles += 1
            }
            return
        }
        for index in uses.indices where !uses[index].isUsed {
            uses[index].isUsed = uses[index].pattern.matches(kept, isDirectory: isDirectory)
        }
    }

    func problems(of archive: String) -> [FileProblem] {
        var found = uses.filter { !$0.isUsed }.map { use in
            FileProblem(
                rule: .idlePattern, message: "\(archive): nothing in it matches \(use.key) '\(escapedText(use.text))'",
                subject: .pattern(key: use.key, index: use.index))
        }
        if strippedFiles > 0 {
            let what = strippedFiles == 1 ? "a file" : "\(strippedFiles) files"
            found.append(
                FileProblem(
                    rule: .strippedFiles, message: "\(archive): strip \(strip) leaves out \(what): '\(firstStripped)'",
                    subject: .option("strip")))
        }
        return found
    }
}
