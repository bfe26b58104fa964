import Glibc

private let corpusDirectory = #filePath.prefixBefore("/JSONSyntaxTests/") + "/Corpus/json/test_parsing/"

struct CorpusError: Error {
    let name: String
    let code: Int32
}

/// The names of all test files, sorted; empty when the corpus isn't there.
func filesOfCorpus() -> [String] {
    guard let directory = opendir(corpusDirectory) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
}

func corpusFile(_ name: String) throws -> [UInt8] {
    guard let file = fopen(corpusDirectory + name, "rb") else { throw CorpusError(name: name, code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}

extension String {
    fileprivate func prefixBefore(_ marker: String) -> String {
        var end = endIndex
        while end > startIndex, !self[end...].hasPrefix(marker) { end = index(before: end) }
        return String(self[..<end])
    }
}
