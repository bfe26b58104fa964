import TestSupport
import Testing

/// Thousands of random interleavings of everything that can happen to a downloader's state, watched by a simple model of what callers and tries
/// may expect. A failure prints the seed.
@Suite struct DownloaderModelTests {
    @Test func everyInterleavingKeepsThePromises() throws {
        var generator = Seed.generator(for: "downloader model")
        for run in 0..<1500 {
            let seed = generator.next()
            var model = try DownloaderModel(seed: seed)
            for _ in 0..<60 { model.step() }
            model.end()
            guard model.violations.isEmpty else {
                let steps = model.history.joined(separator: "\n")
                Issue.record("run \(run), seed \(seed): \(model.violations)\n\(steps)")
                return
            }
        }
    }
}
