import FaultServer
import Glibc
import TestSupport
import Testing

/// Directories of a library that somebody replaces by links while a run is at work: it is refused, and nothing is written behind the links.
@Suite struct ReplacedLibraryTests {
    private let stock: Stock
    private let old = Content.pattern(lengthBytes: 10_000, seed: 1)
    private let new = Content.pattern(lengthBytes: 12_000, seed: 2)

    init() throws { stock = try Stock() }

    /// A moment in a run, and what is replaced then.
    struct Replacement: CustomTestStringConvertible {
        let path: String
        let moment: FileCalls.Moment
        var testDescription: String { "\(path) at \(moment)" }
    }

    private static let replacements =
        ["", ".larder", "store", "generations", "store/m", "store/m/a"].flatMap { path in
            [FileCalls.Moment.first("create", on: ".part"), .first("create", on: "-receipt")].map {
                Replacement(path: path, moment: $0)
            }
        } + [
            Replacement(path: "", moment: .first("flush", on: "/store/m/a")),
            Replacement(path: ".larder", moment: .first("flush", on: "/store/m/a")),
        ]

    @Test(arguments: replacements) func whatBecomesALinkIsRefused(_ replacement: Replacement) async throws {
        stock.serveManifest([stock.file("a", old)])
        #expect(try await stock.sync().status == .exited(0))
        stock.serveManifest([stock.file("a", new)], serial: 2)

        let environment = try await FileCalls(beneath: stock.library).environment(.stop, at: replacement.moment)
        let run = try ChildProcess(LarderProgram.path, stock.arguments(), environment: environment)
        try await run.hasStopped()
        let place = replacement.path.isEmpty ? stock.library : "\(stock.library)/\(replacement.path)"
        let (kept, outside, reference) = (
            stock.directory["kept"], stock.directory["outside"], stock.directory["reference"]
        )
        // Not an empty directory: everything that is looked for in it is there.
        for copy in [outside, reference] {
            #expect(try await ChildProcess.run("cp", ["-a", place, copy]).status == .exited(0))
        }
        #expect(rename(place, kept) == 0 && symlink(outside, place) == 0)
        run.kill(SIGCONT)
        let refused = try await run.waitForExit()

        #expect(refused.status == .exited(1), "\(refused)")
        let reasons = ["is not the directory any more that it was", "a symbolic link stands there"]
        #expect(reasons.contains { refused.errorText.contains($0) } && refused.errorText.contains(place), "\(refused)")
        #expect(try treeDifferences(reference, outside, comparingModes: true) == [])

        #expect(unlink(place) == 0 && rename(kept, place) == 0)
        #expect(try stock.difference("a", old) == nil)
        #expect(try await stock.sync().status == .exited(0))
        #expect(try stock.difference("a", new) == nil)
        #expect(try LibraryAudit(path: stock.library).problems() == [])
    }
}

extension ChildProcess {
    /// Waits until it stands still.
    func hasStopped() async throws {
        try await waitUntil("process \(processID) to stop") {
            let status = String(decoding: try readFile("/proc/\(processID)/stat"), as: UTF8.self)
            return status.split(separator: ") ").last?.first == "T"
        }
    }
}
