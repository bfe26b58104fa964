import BundleManifest
import Diagnostics
import Testing

/// Damaged manifests are read or refused, never a trap: bytes are replaced, removed and doubled all over the text.
@Suite struct MutationTests {
    @Test(arguments: ["{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", "e", "\n", "\u{0}", "/"])
    func aReplacedByteIsNoTrap(_ replacement: String) {
        let bytes = Array(everyKind.utf8)
        for offset in stride(from: 0, to: bytes.count, by: 29) {
            var damaged = bytes
            damaged[offset] = replacement.utf8.first ?? 0
            check(damaged)
        }
    }

    @Test func aRemovedADoubledOrACutByteIsNoTrap() {
        let bytes = Array(everyKind.utf8)
        for offset in stride(from: 1, to: bytes.count, by: 17) {
            check(Array(bytes[..<offset] + bytes[(offset + 1)...]))
            check(Array(bytes[...offset] + bytes[offset...]))
            check(Array(bytes[..<offset]))
            check(Array(bytes[..<offset] + [0xC3] + bytes[offset...]))
        }
    }

    private func check(_ bytes: [UInt8]) {
        let source = SourceText(name: "m.json", bytes: bytes)
        let (manifest, diagnostics) = Manifest.decode(source)
        #expect((manifest == nil) == diagnostics.hasErrors)
        #expect(diagnostics == diagnostics.sortedByPosition())
        let renderer = DiagnosticTextRenderer(LineIndex(source), of: diagnostics)
        #expect(diagnostics.allSatisfy { !renderer.block($0).isEmpty && $0.range.end <= bytes.count })
    }
}
