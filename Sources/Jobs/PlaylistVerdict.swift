import ContentLibrary
import Glibc
import Platform
import Playlists

/// Whether a copy can be played: every file that a playlist names is here, is what a player expects there, and decrypts with its key and vector; and
/// before it is published, whether it plays as long as what it is a copy of. How long a segment really plays only a decoder could tell; where the
/// clocks of transport streams contradict the playlist, that is told.
package struct PlaylistVerdict {
    private let playlists: [PlannedPlaylist]
    private let directory: Directory
    private let warn: (String) -> Void
    /// Where each file came from.
    private let urls: [String: String]

    private static let headBytes = 64 * MediaContainer.packetBytes

    /// - Parameter directory: holds the files at their paths.
    init(of plan: OfflinePlan, in directory: Directory, warn: @escaping (String) -> Void) {
        self.init(plan.playlists, in: directory, urls: plan.urls, warn: warn)
    }

    init(
        _ playlists: [PlannedPlaylist], in directory: Directory, urls: [String: String],
        warn: @escaping (String) -> Void
    ) {
        (self.playlists, self.directory, self.urls, self.warn) = (playlists, directory, urls, warn)
    }

    /// Looks at a copy as it stands in a library: at its playlists, and then at all that they name. Nothing but the disk is asked.
    /// - Parameters:
    ///   - directory: the bundle's content.
    ///   - warn: told what is odd and plays all the same.
    /// - Throws: `implausibleMedia` for the first thing that would not play, by its path; `libraryFailed` for what can't be read.
    package static func check(
        _ directory: Directory, warn: @escaping (String) -> Void
    ) throws(BundleFailure) {
        let playlists = try PublishedPlaylists(directory).playlists
        do throws(Fault) {
            try PlaylistVerdict(playlists, in: directory, urls: [:], warn: warn).check()
        } catch {
            throw error.failure
        }
    }

    /// What would not play.
    struct Fault: Error {
        let failure: BundleFailure
        /// The files it may be the fault of.
        let paths: [RelativePath]
    }

    /// - Throws: the first file that isn't as it should be.
    func check() throws(Fault) {
        if let fault = faults(atMost: 1).first { throw fault }
    }

    /// What isn't as it should be.
    func faults(atMost limit: Int = .max) -> [Fault] {
        var faults: [Fault] = []
        for case .media(let playlist) in playlists.lazy.map(\.content) {
            var keys = KeyCache()
            var seen: Set<String> = []
            var pace = ClockPace()
            for (index, segment) in playlist.segments.enumerated() where !segment.isGap {
                guard faults.count < limit else { return faults }
                guard seen.insert(segment.uri).inserted else { continue }
                var clock: ProgramClock?
                let fault = fault(segment.uri, segment.keySet, of: playlist, &keys, &clock) { key in
                    playlist.initializationVector(of: key, forSegmentAt: index)
                }
                if let fault { faults.append(fault) }
                if let oddity = pace.take(clock, of: segment) { warn("\(shown(segment.uri)): \(oddity)") }
            }
            for map in playlist.maps where seen.insert(map.uri).inserted {
                guard faults.count < limit else { return faults }
                var clock: ProgramClock?
                let fault = fault(map.uri, map.keySet, of: playlist, &keys, &clock) { $0.initializationVector }
                if let fault { faults.append(fault) }
            }
        }
        return faults
    }

    /// The key of the segment before: mostly that of this one, too.
    private struct KeyCache {
        var uri = ""
        var bytes: [UInt8] = []
    }

    private func fault(
        _ uri: String, _ keySet: Int32?, of playlist: MediaPlaylist, _ keys: inout KeyCache,
        _ clock: inout ProgramClock?, vector: (MediaKey) -> InitializationVector?
    ) -> Fault? {
        let key = keySet.flatMap { playlist.keySets[Int($0)].first }
        if let key, keys.uri != key.uri {
            do throws(BundleFailure) { keys = KeyCache(uri: key.uri, bytes: try readKey(key.uri)) } catch {
                // What it would decrypt may be as it should be.
                return Fault(failure: error, paths: [try? RelativePath(key.uri)].compactMap(\.self))
            }
        }
        do throws(BundleFailure) {
            clock = try check(
                uri,
                encryption: try key.map { key throws(BundleFailure) in
                    guard let vector = vector(key) else {
                        throw failure(key.uri, "its initialization vector is unknown")
                    }
                    return Encryption(key: keys.bytes, vector: vector.bytes)
                })
            return nil
        } catch {
            return Fault(failure: error, paths: [uri, key?.uri].compactMap { $0.flatMap { try? RelativePath($0) } })
        }
    }

    private struct Encryption {
        let key: [UInt8]
        let vector: [UInt8]
    }

    private func readKey(_ uri: String) throws(BundleFailure) -> [UInt8] {
        let bytes = try read(try open(uri).file, at: 0, upTo: AES128CBC.blockBytes + 1)
        guard bytes.count == AES128CBC.blockBytes else { throw failure(uri, "the key is not 16 bytes long") }
        return bytes
    }

    /// - Returns: the clock that a transport stream begins with.
    private func check(_ uri: String, encryption: Encryption?) throws(BundleFailure) -> ProgramClock? {
        let (file, size) = try open(uri)
        guard size > 0 else { throw failure(uri, "it is empty") }
        var head = try read(file, at: 0, upTo: Self.headBytes)
        var contentBytes = size
        if let encryption {
            guard size.isMultiple(of: Int64(AES128CBC.blockBytes)),
                let clear = AES128CBC.decrypt(head, key: encryption.key, vector: encryption.vector)
            else { throw failure(uri, "it is encrypted, and yet no whole number of blocks of 16 bytes") }
            contentBytes = size - (try paddingBytes(uri, file, size, encryption))
            head = Array(clear.prefix(Int(clamping: contentBytes)))
        }
        let undecipherable =
            "it doesn't decrypt to anything that plays: the key, the vector or the segment is another's"
        guard let container = MediaContainer(head: head) else {
            throw failure(
                uri,
                encryption == nil
                    ? "it is neither MPEG-TS nor MP4, packed audio, WebVTT or a picture" : undecipherable)
        }
        switch container {
        case .transportStream where TransportPacket(head: head).isTableIntact == false:
            throw failure(uri, encryption == nil ? "its first packet is damaged" : undecipherable)
        case .transportStream where !contentBytes.isMultiple(of: Int64(MediaContainer.packetBytes)):
            warn("\(shown(uri)): its last packet is cut")
        case .boxes where encryption == nil: try checkBoxes(uri, file, size)
        default: break
        }
        return container == .transportStream ? ProgramClock(head: head) : nil
    }

    /// How much of the last block is padding (PKCS #7).
    private func paddingBytes(
        _ uri: String, _ file: OwnedDescriptor, _ size: Int64, _ encryption: Encryption
    ) throws(BundleFailure) -> Int64 {
        let block = Int64(AES128CBC.blockBytes)
        let tail = try read(file, at: max(0, size - 2 * block), upTo: Int(2 * block))
        let isAlone = tail.count == Int(block)
        let clear = AES128CBC.decrypt(
            Array(tail.suffix(Int(block))), key: encryption.key,
            vector: isAlone ? encryption.vector : Array(tail.prefix(Int(block))))
        guard let clear, let count = clear.last, (1...16).contains(count),
            clear.suffix(Int(count)).allSatisfy({ $0 == count })
        else { throw failure(uri, "it doesn't decrypt: its end is missing, or the key is another's") }
        return Int64(count)
    }

    /// No segment has nearly as many.
    private static let maximumBoxes = 100_000

    /// Whether boxes follow each other up to the very end.
    private func checkBoxes(_ uri: String, _ file: OwnedDescriptor, _ size: Int64) throws(BundleFailure) {
        var offset: Int64 = 0
        for _ in 0..<Self.maximumBoxes {
            if offset == size { return }
            let header = try read(file, at: offset, upTo: 16)
            guard header.count >= 8 else { throw failure(uri, "a box is cut at its end") }
            let short = header[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let length: Int64
            switch short {
            // To the end of the file.
            case 0: return
            case 1 where header.count == 16 && header[8] < 0x80:
                length = header[8...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            default: length = short
            }
            let (next, overflow) = offset.addingReportingOverflow(length)
            guard length >= 8, !overflow, next <= size else {
                throw failure(uri, "a box is cut, or longer than the file")
            }
            offset = next
        }
        throw failure(uri, "it has more than \(Self.maximumBoxes) boxes")
    }

    // MARK: Files

    private func open(_ uri: String) throws(BundleFailure) -> (file: OwnedDescriptor, sizeBytes: Int64) {
        let path = try path(uri)
        do throws(SystemError) {
            let file = try directory.open(path, flags: O_RDONLY | O_NONBLOCK)
            return (file, try file.status().sizeBytes)
        } catch {
            throw error.isNotFound ? failure(uri, "it is missing") : BundleFailure(error)
        }
    }

    private func read(
        _ file: OwnedDescriptor, at offset: Int64, upTo count: Int
    ) throws(BundleFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try file.read(into: buffer, at: offset) }
        }
        do throws(SystemError) { return Array(bytes.prefix(try result.get())) } catch { throw BundleFailure(error) }
    }

    private func shown(_ uri: String) -> String { urls[uri].map(shownURL) ?? uri }

    private func failure(_ uri: String, _ reason: String) -> BundleFailure {
        BundleFailure(.implausibleMedia, reason, url: shown(uri))
    }
}
