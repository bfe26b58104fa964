import Glibc
import TestSupport
import Testing

/// A repair that is killed at any moment leaves every file either as it was damaged or as it was published.
@Suite(.serialized) struct KilledRepairSoakTests {
    @Test(arguments: 0..<Parameters.rounds) func tenKillsOfARepair(round: Int) async throws {
        var generator = Seed.generator(for: "killed repair \(round)")
        let library = try RestingLibrary()
        library.stock.serveManifest([library.files(), library.files("copy", prefix: "copy/")])
        #expect(try await library.stock.sync().status == .exited(0))
        let kept = try await library.keep()
        for _ in 0..<10 {
            for bundle in ["set", "copy"] { try library.flip("\(library.store(bundle))/dir/two.bin") }
            try check(unlink("\(library.store())/one.txt"), "unlink")
            let repair = try LarderProgram.start([
                "verify", "--repair", "--library", library.stock.library, "--min-free", "0",
            ])
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<250, using: &generator)))
            repair.kill(SIGKILL)
            try await repair.waitForExit()

            let between = try library.differences(from: kept)
            #expect(
                between.allSatisfy { $0.contains("/dir/two.bin: differs") || $0.contains("/one.txt: missing") },
                "\(between)")
            let result = try await library.verify("--repair")
            #expect(result.status == .exited(0), "\(result)")
            #expect(try library.differences(from: kept) == [])
        }
        // What is whole again needs no repair, and so no lock: the next run clears up.
        #expect(try await library.stock.sync().outputText.hasPrefix("nothing to do"))
        #expect(try library.staged() == [])
    }
}
