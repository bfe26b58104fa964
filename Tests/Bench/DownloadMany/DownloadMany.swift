import Downloads
import Glibc
import Platform
import Transfer

/// Downloads every file of a list through the public face of `Downloads`, as a program that only imports the library would.
///
///     download-many LIST FOLDER TRANSFERS [CERTIFICATES]
///
/// A line of LIST is a URL, the SHA-256 of what is there, and a name in FOLDER, with blanks between them. With `-` for a digest none is taken.
@main
struct DownloadMany {
    let url: TransferURL
    let digest: SHA256Digest?
    let path: String

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let transfers = Int(arguments[3]) else { throw Usage() }
        let files = try readList(arguments[1], folder: arguments[2])

        var configuration = DownloaderConfiguration()
        configuration.maximumTransfers = transfers
        configuration.maximumTransfersPerHost = transfers
        configuration.takesDigests = false
        configuration.session.caBundlePath = arguments.count > 4 ? arguments[4] : nil
        let store = try ResumeStore(path: arguments[2] + "/.partial")
        let downloader = Downloader(configuration: configuration, store: store)
        try await withThrowingTaskGroup { group in
            for file in files {
                group.addTask {
                    var request = DownloadRequest(file.url)
                    request.digest = file.digest
                    try await downloader.download(request).take(to: file.path, flush: false)
                }
            }
            try await group.waitForAll()
        }
        await downloader.shutDown()
    }

    static func readList(_ path: String, folder: String) throws -> [DownloadMany] {
        guard let list = fopen(path, "r") else { throw Usage() }
        defer { fclose(list) }
        var files: [DownloadMany] = []
        while let line = readLine(list) {
            // By bytes: by characters this would take as long as a fifth of the downloads.
            let words = line.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard words.count == 3 else { throw Usage() }
            let digest = SHA256Digest(hex: words[1])
            guard digest != nil || words[1] == "-" else { throw Usage() }
            files.append(DownloadMany(url: try TransferURL(words[0]), digest: digest, path: "\(folder)/\(words[2])"))
        }
        return files
    }

    static func readLine(_ file: UnsafeMutablePointer<FILE>) -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        guard getline(&line, &capacity, file) > 0, let line else { return nil }
        let length = strcspn(line, "\n")
        return String(decoding: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self)
    }

    struct Usage: Error {}
}
