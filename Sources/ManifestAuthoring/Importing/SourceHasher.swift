import Downloads
import Glibc
import Jobs
import Platform
import Transfer

/// Reads whole what has no SHA-256: fetches it, or reads what lies in a bag. Several at once; they come out in the order in which they went in.
final class SourceHasher {
    typealias Output = (ImportedFile) throws(ImportProblem) -> Void

    typealias Outcome = Result<(sizeBytes: Int64, digest: SHA256Digest), Failure>

    enum Failure: Error {
        case wrong(String)
        /// There is no room for what is fetched from here.
        case noSpace(String)
        case stopped

        fileprivate init(_ error: DownloadError, _ url: TransferURL) {
            switch error.code {
            case .cancelled: self = .stopped
            case .noSpace: self = .noSpace("\(url)")
            default: self = .wrong("\(url): \(error.message)")
            }
        }
    }

    private let fetching: ManifestImport.Fetching
    private let mirrors: [String]
    private let observer: ImportObserver
    private let output: Output
    /// By the numbers that files have, in the order in which they went in.
    private let outcomes = Monitor<[Int: Outcome]>([:])
    /// Where hashing blocks.
    private let reading = JobQueue(name: "hash", threads: 2)
    /// Went in, and isn't out yet.
    private var waiting: [Int: ImportedFile] = [:]
    private var (given, told) = (0, 0)
    private var failures = ToldLines()

    /// So many that nobody waits for the slowest; each takes a few hundred bytes.
    private static let mostFiles = 256

    /// - Parameter mirrors: what relative URLs are joined to.
    init(
        _ fetching: ManifestImport.Fetching, mirrors: [String], _ observer: ImportObserver, output: @escaping Output
    ) {
        (self.fetching, self.mirrors) = (fetching, mirrors)
        (self.observer, self.output) = (observer, output)
    }

    func add(_ file: ImportedFile) throws(ImportProblem) {
        try advance(untilAtMost: Self.mostFiles - 1)
        let number = given
        given += 1
        waiting[number] = file
        if file.digest == nil { begin(file, number) }
    }

    /// Waits until all files are out.
    func finish() throws(ImportProblem) {
        try advance(untilAtMost: 0)
        if failures.count > 0 { throw .unhashed(failures.lines, count: failures.count) }
    }

    private func advance(untilAtMost most: Int) throws(ImportProblem) {
        while waiting.count > most, var file = waiting.removeValue(forKey: told) {
            defer { told += 1 }
            if file.digest == nil {
                let number = told
                let outcome = outcomes.wait { $0.removeValue(forKey: number) }
                switch outcome {
                case .success(let facts): (file.sizeBytes, file.digest) = (facts.sizeBytes, facts.digest)
                case .failure(.wrong(let why)): failures.add("\(file.place): \(why)")
                case .failure(.noSpace(let url)):
                    throw .scratch(SystemError(code: ENOSPC, operation: "keep what is fetched from", subject: url))
                case .failure(.stopped): throw .stopped
                }
            }
            // Whoever is told of one wants to know of the others, though nothing is written.
            if failures.count == 0 { try output(file) }
        }
    }

    // MARK: One file

    private func begin(_ file: ImportedFile, _ number: Int) {
        let tell: @Sendable (Outcome) -> Void = { [outcomes, observer] outcome in
            if case .success = outcome { observer.didHash() }
            outcomes.change { $0[number] = outcome }
        }
        if let local = file.local {
            reading.enqueue { [observer] in tell(Self.facts(of: local, file, observer)) }
            return
        }
        let urls: [TransferURL]
        do throws(TransferURLError) { urls = try sources(of: file) } catch {
            return tell(.failure(.wrong("\(error)")))
        }
        guard let first = urls.first else { return tell(.failure(.wrong("it has no source"))) }
        var request = DownloadRequest(first, mirrors: Array(urls.dropFirst()))
        request.sizeBytes = file.sizeBytes
        request.redirects = fetching.redirects
        request.budgetBytes = fetching.bodyBudgetBytes
        let progress = Locked<Int64>(0)
        fetching.downloader.download(
            request,
            events: { [observer] event in
                guard case .progress(let at) = event else { return }
                let more = progress.withLock { last in
                    defer { last = at.receivedBytes }
                    return at.receivedBytes - last
                }
                if more > 0 { observer.didRead(more) }
            },
            completion: { [reading, observer] result in
                switch result {
                case .success(let fetched):
                    // What is fetched at once from one first URL is fetched once, with the mirrors of whoever came first.
                    guard urls.contains(fetched.sourceURL) else {
                        return tell(
                            .failure(
                                .wrong(
                                    "\(first): what came is from \(fetched.sourceURL), which only another file with this first URL names"
                                )))
                    }
                    reading.enqueue { tell(Self.facts(of: fetched, file, observer)) }
                case .failure(let error): tell(.failure(Failure(error, first)))
                }
            })
    }

    private func sources(of file: ImportedFile) throws(TransferURLError) -> [TransferURL] {
        var urls: [TransferURL] = []
        for text in file.urls {
            if let url = try? TransferURL(text) {
                urls.append(url)
            } else {
                for mirror in mirrors { urls.append(try TransferURL(mirror).resolving(text)) }
            }
        }
        return urls
    }

    private static func facts(of local: LocalFile, _ file: ImportedFile, _ observer: ImportObserver) -> Outcome {
        let algorithms = Set(file.otherDigests.keys).union([.sha256])
        do throws(SystemError) {
            let descriptor = try local.folder.open(local.path)
            let read = try MessageDigest.digests(
                of: descriptor, by: algorithms, isStopped: observer.shouldStop,
                didRead: { observer.didRead(Int64($0)) })
            guard let read else { return .failure(.stopped) }
            guard let digest = read.digests[.sha256].flatMap({ SHA256Digest(bytes: $0) }) else {
                return .failure(.wrong("libcrypto offers no SHA-256"))
            }
            return judged(read.sizeBytes, digest, read.digests, file, descriptor.name)
        } catch {
            return .failure(.wrong("\(error)"))
        }
    }

    private static func facts(of fetched: DownloadedFile, _ file: ImportedFile, _ observer: ImportObserver) -> Outcome {
        guard let digest = fetched.digest else { return .failure(.wrong("its digest wasn't taken")) }
        guard fetched.isProvenComplete || file.sizeBytes != nil else {
            return .failure(
                .wrong("\(fetched.sourceURL): the server closed the connection without saying how long the file is"))
        }
        do throws(SystemError) {
            // Which is sent in the place of anything else, and nobody would know.
            if file.sizeBytes == nil, !HTMLPage.isDue(for: file.path), try isPage(fetched.descriptor) {
                return .failure(.wrong("\(fetched.sourceURL): \(HTMLPage.found(insteadOf: "the file"))"))
            }
            // One more read of it all.
            guard !file.otherDigests.isEmpty else {
                return judged(fetched.sizeBytes, digest, [:], file, "\(fetched.sourceURL)")
            }
            let read = try MessageDigest.digests(
                of: fetched.descriptor, by: Set(file.otherDigests.keys), isStopped: observer.shouldStop)
            guard let read else { return .failure(.stopped) }
            return judged(fetched.sizeBytes, digest, read.digests, file, "\(fetched.sourceURL)")
        } catch {
            return .failure(.wrong("\(error)"))
        }
    }

    private static func isPage(_ file: OwnedDescriptor) throws(SystemError) -> Bool {
        var head = [UInt8](repeating: 0, count: HTMLPage.headBytes)
        let read = head.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try file.read(into: buffer, at: 0) }
        }
        return HTMLPage.begins(Array(head.prefix(try read.get())))
    }

    /// - Parameter digests: of what was read, by the algorithms that libcrypto offers of those that the list has.
    static func judged(
        _ sizeBytes: Int64, _ digest: SHA256Digest, _ digests: [DigestAlgorithm: [UInt8]], _ file: ImportedFile,
        _ source: String
    ) -> Outcome {
        if let wanted = file.sizeBytes, wanted != sizeBytes {
            return .failure(.wrong("\(source) has \(sizeBytes) bytes where the list says \(wanted)"))
        }
        if let strongest = file.otherDigests.keys.max(), !file.otherDigests.keys.contains(where: { digests[$0] != nil })
        {
            return .failure(
                .wrong(
                    "\(source): libcrypto here offers no \(strongest.rawValue), and nobody can tell whether it is what the list means"
                ))
        }
        for (algorithm, wanted) in file.otherDigests.sorted(by: { $0.key < $1.key }) {
            guard let actual = digests[algorithm], actual != wanted else { continue }
            return .failure(
                .wrong(
                    "\(source) has the \(algorithm.rawValue) \(hexText(actual)) where the list says \(hexText(wanted))"
                ))
        }
        return .success((sizeBytes, digest))
    }
}
