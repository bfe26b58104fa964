import Testing

@testable import BundleManifest

/// Things that are alike are found, whatever their hashes do.
@Suite struct OrdinalTableTests {
    @Test(arguments: [{ $0 }, { _ in 7 }, { -$0 }, { $0 << 40 }] as [@Sendable (Int) -> Int])
    func theFirstOfThoseThatAreAlikeIsFound(_ hash: @Sendable (Int) -> Int) {
        let values = (0..<300).map { $0 % 100 }
        var table = OrdinalTable(expecting: values.count)
        for (ordinal, value) in values.enumerated() {
            let first = table.insert(ordinal, hash: hash(value)) { values[$0] == value }
            #expect(first == (ordinal < 100 ? nil : value))
        }
    }
}
