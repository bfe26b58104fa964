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
        guard arguments.count >= 4, let transfers = Int(arguments[3]), let list = fopen(arguments[1], "r") else {
            throw Usage()
        }
        defer { fclose(list) }

        var configuration = DownloaderConfiguration()
        configuration.maximumTransfers = transfers
        configuration.maximumTransfersPerHost = transfers
        configuration.takesDigests = false
        configuration.session.caBundlePath = arguments.count > 4 ? arguments[4] : nil
        let store = try ResumeStore(path: arguments[2] + "/.partial")
        let downloader = Downloader(configuration: configuration, store: store)
        // A group that keeps no results: the task that waits for all would be woken for each of them otherwise.
        try await withThrowingDiscardingTaskGroup { group in
            while let line = readLine(list) {
                let file = try DownloadMany(line, folder: arguments[2])
                group.addTask { try await file.download(by: downloader) }
            }
        }
        await downloader.shutDown()
    }

    init(_ line: String, folder: String) throws {
        // By bytes: by characters this would take as long as a fifth of the downloads.
        let words = line.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        guard words.count == 3 else { throw Usage() }
        digest = SHA256Digest(hex: words[1])
        guard digest != nil || words[1] == "-" else { throw Usage() }
        url = try TransferURL(words[0])
        path = "\(folder)/\(words[2])"
    }

    func download(by downloader: Downloader) async throws {
        var request = DownloadRequest(url)
        request.digest = digest
        try await downloader.download(request).take(to: path, flush: false)
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
