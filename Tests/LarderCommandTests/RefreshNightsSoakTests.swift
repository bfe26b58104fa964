import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// Night after night, unattended: a moved clock, content that changes, and a server that fails three requests of ten.
@Suite(.serialized) struct RefreshNightsSoakTests {
    private let origin: ChangingOrigin
    private let folder: TemporaryDirectory
    private let clock: MovedClock
    private let arguments: [String]
    private let process = Locked<pid_t>(0)
    private let footprints = Locked<[Footprint]>([])

    private var library: String { folder["library"] }
    /// A few in each run of the tests, 72 of them where there is time.
    private static let nights = min(72, 6 * Parameters.rounds)

    init() async throws {
        origin = try ChangingOrigin(seed: "nights")
        folder = try TemporaryDirectory()
        clock = try await MovedClock(in: folder)
        let settings = try folder.write(#"{"idleTimeout": "1s", "connectTimeout": "5s"}"#.utf8, to: "settings.json")
        arguments = [
            "refresh", origin.server.url("/m.json"), "--library", folder["library"], "--min-free", "0", "--retries",
            "1", "--config", settings, "--metrics", folder["larder.prom"], "--ping", origin.server.url("/ping"),
        ]
        // What it asks for last of all.
        for path in ["/ping", "/ping/fail"] {
            origin.server.serve(path) { [process, footprints] _ in
                if let footprint = try? Footprint(of: process.withLock { $0 }) {
                    footprints.withLock { $0.append(footprint) }
                }
                return .status(200)
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func allContentArrivesAndNothingIsEverToldThatIsNotSo() async throws {
        var sizes: [Size] = []
        var exits: [Int32: Int] = [:]
        var lines: [Int] = []
        for night in 0..<Self.nights {
            origin.beginNight(failureRate: 0.3)
            let result = try await run(night)
            guard case .exited(let exit)? = result.status else {
                Issue.record("night \(night): \(result)")
                continue
            }
            exits[exit, default: 0] += 1
            lines.append(result.problems.count)
            try check(exit, result, night)
            sizes.append(try size())
        }
        // Nights without failures, as many as the longest that a source is left alone here.
        var last: ChildProcess.Result?
        for night in Self.nights..<Self.nights + 8 {
            origin.beginNight(failureRate: 0)
            last = try await run(night)
            if last?.status == .exited(0) { break }
        }
        let end = try #require(last)
        #expect(end.status == .exited(0), "\(end)")
        try check(0, end, Self.nights)
        sizes.append(try size())
        try checkFlatness(sizes)
        let footprints = footprints.withLock { $0 }
        #expect(footprints.count >= Self.nights)
        checkFlatness(footprints, lines)
        let told = exits.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }.joined(separator: ", ")
        let peaks = footprints.map(\.peakBytes)
        let requests = origin.server.log.count { !$0.request.path.hasPrefix("/ping") }
        print(
            """
            \(Self.nights) nights: \(told); \(lines.reduce(0, +)) lines in all, \(lines.max() ?? 0) a night at most; \
            \(origin.faults.values.reduce(0, +)) of \(requests) requests failed; memory at its peak \((peaks.min() ?? 0) >> 10) to \
            \((peaks.max() ?? 0) >> 10) KiB, in the last night \((peaks.last ?? 0) >> 10); at most \
            \(footprints.map(\.descriptors).max() ?? 0) descriptors; the library at most \(sizes.map(\.files).max() ?? 0) files, \
            \(sizes.map(\.bytes).max() ?? 0) bytes, its state.db \(sizes.map(\.indexBytes).max() ?? 0) bytes, in .larder \
            \(sizes.map(\.internalFiles).max() ?? 0) files, \(sizes.last?.internalFiles ?? 0) of them in the end
            """)
    }

    /// No night has more of them: a limit that nothing can raise.
    private static let descriptors = 96

    private func run(_ night: Int) async throws -> ChildProcess.Result {
        let program = try ChildProcess(
            "sh", ["-c", #"ulimit -n \#(Self.descriptors); exec "$@""#, "sh", try LarderProgram.path] + arguments,
            environment: clock.environment(movedBy: .days(night)))
        process.withLock { $0 = program.processID }
        return try await program.waitForExit(within: .seconds(240))
    }

    /// Holds what a night told against what is there.
    private func check(_ exit: Int32, _ result: ChildProcess.Result, _ night: Int) throws {
        #expect([0, 1, 2, 65, 66, 77].contains(exit), "night \(night): \(result)")
        #expect(result.output.isEmpty, "night \(night): \(result)")
        // One line for each bundle, or for the manifest.
        #expect(
            exit == 0 ? result.problems.isEmpty : (1...4).contains(result.problems.count), "night \(night): \(result)")
        if exit == 0 {
            #expect(try readFile("\(library)/current/m/.manifest.json") == origin.manifest, "night \(night)")
        }
        for (file, path) in ChangingOrigin.published {
            let versions = origin.versions(of: path)
            guard let bytes = try? readFile("\(library)/current/m/\(file)") else {
                #expect(exit != 0, "night \(night): \(file) is missing")
                continue
            }
            #expect(exit == 0 ? bytes == versions.last : versions.contains(bytes), "night \(night): \(file)")
        }
    }

    // MARK: What grows

    private struct Size {
        var files = 0
        /// Those in `.larder`.
        var internalFiles = 0
        var bytes = 0
        var indexBytes = 0
    }

    private func size() throws -> Size {
        var size = Size()
        var pending = [library]
        while let path = pending.popLast() {
            var status = stat()
            try check(lstat(path, &status), "lstat \(path)")
            size.files += 1
            if path.contains("/.larder/") { size.internalFiles += 1 }
            size.bytes += Int(status.st_size)
            if path.hasSuffix("/state.db") { size.indexBytes = Int(status.st_size) }
            if status.st_mode & S_IFMT == S_IFDIR {
                pending += try directoryEntries(FilePathBytes(path)).map { "\(path)/\($0)" }
            }
        }
        return size
    }

    /// Whatever a night costs, the last ones cost no more than the first ones.
    private func checkFlatness(_ footprints: [Footprint], _ lines: [Int]) {
        let part = max(1, footprints.count / 3)
        func most(_ value: (Footprint) -> Int) -> (first: Int, last: Int) {
            (footprints.prefix(part).map(value).max() ?? 0, footprints.suffix(part).map(value).max() ?? 0)
        }
        let (memory, descriptors) = (most(\.peakBytes), most(\.descriptors))
        #expect(memory.last <= memory.first * 5 / 4 && memory.last < 128 << 20, "\(memory)")
        #expect(descriptors.last <= descriptors.first + 8, "\(descriptors)")
        let (few, many) = (lines.prefix(part).reduce(0, +), lines.suffix(part).reduce(0, +))
        #expect(many <= 2 * few + 4, "the first nights told \(few) lines, the last ones \(many)")
    }

    private func check(_ code: Int32, _ what: String) throws { try TestSupport.check(code, what) }

    /// Two generations, what they name, a partial file for each that may be unfinished, two files of wrong bytes: that is all there may ever be.
    private func checkFlatness(_ sizes: [Size]) throws {
        for (night, size) in sizes.enumerated() {
            #expect(size.files < 150, "night \(night)")
            #expect(size.bytes < 4_000_000, "night \(night)")
            #expect(size.indexBytes < 200_000, "night \(night)")
            #expect(size.internalFiles < 100, "night \(night)")
        }
        let quarantine = try directoryEntries(FilePathBytes("\(library)/.larder/quarantine"))
        #expect(quarantine.count <= 2)
        // What was paused of a version that was replaced before all of it had come stays for 30 days.
        let paused = try directoryEntries(FilePathBytes("\(library)/.larder/partial")).map(\.description)
        #expect(paused.count <= 2 * min(30, Self.nights))
        #expect(try directoryEntries(FilePathBytes("\(library)/.larder/staging")).isEmpty)
        #expect(try directoryEntries(FilePathBytes("\(library)/generations")).count <= 2)
    }
}

/// Two runs at the same moment, again and again: one works, and the other does what it was asked to do then.
@Suite(.serialized) struct TwoRefreshesSoakTests {
    private static let rounds = min(100, 5 * Parameters.rounds)

    @Test(arguments: ["skip", "fail", "wait:1m"])
    func oneWorksAndTheOtherAnswersAsAsked(policy: String) async throws {
        let stock = try Stock()
        for round in 0..<(Self.rounds + 2) / 3 {
            let content = Content.pattern(lengthBytes: 20_000, seed: UInt64(round))
            stock.serveManifest([stock.file("a", content)], serial: round + 1)
            let runs = try (0..<2).map { _ in try LarderProgram.start(stock.refreshArguments(["--lock", policy])) }
            var statuses: [ChildProcess.Status] = []
            for run in runs {
                let result = try await run.waitForExit()
                if let status = result.status { statuses.append(status) }
                // Who is too late says so in one line; who was in time says nothing.
                #expect(result.problems.count == (result.status == .exited(75) ? 1 : 0), "\(result)")
            }
            #expect(statuses.contains(.exited(0)), "round \(round): \(statuses)")
            let allowed: [ChildProcess.Status] = policy == "fail" ? [.exited(0), .exited(75)] : [.exited(0)]
            #expect(statuses.allSatisfy(allowed.contains), "round \(round): \(statuses)")
            #expect(try stock.difference("a", content) == nil, "round \(round)")
        }
    }
}
