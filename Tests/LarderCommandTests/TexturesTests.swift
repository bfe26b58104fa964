import FaultServer
import TestSupport
import Testing

/// Bundles of images: what isn't what its name says is named, and published all the same.
@Suite struct TexturesTests {
    private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]

    @Test(arguments: ["textures", "archive"]) func anImageThatIsNoneIsNamed(kind: String) async throws {
        let stock = try Stock()
        let archive = storedZip([
            "good.png": png, "walls/brick.jpg": png, "walls/stone.png": Array("<!DOCTYPE html>".utf8),
            "readme.txt": [1, 2, 3],
        ])
        stock.serveManifest([stock.archive("z", archive).replacing(#""archive""#, with: #""\#(kind)""#)])
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        let warnings = run.events.filter { $0.name == "warning" }.compactMap { $0.value["message"]?.string }
        #expect(
            warnings
                == (kind == "archive"
                    ? []
                    : [
                        "the image 'walls/brick.jpg': by its name it is JPEG, but it is PNG",
                        "the image 'walls/stone.png': by its name it is PNG, but it doesn't begin like that",
                    ]))
        #expect(try stock.published("m/z/walls").sorted() == ["brick.jpg", "stone.png"])
    }

    @Test func ofManyTheFirstAreNamedAndTheOthersCounted() async throws {
        let stock = try Stock()
        let folder = try TemporaryDirectory()
        let names = (100..<203).map { "\($0).png" }
        for name in names { try folder.write("no image".utf8, to: name) }
        _ = try await ChildProcess.run("zip", ["-q", "a.zip"] + names.reversed(), directory: folder.path)
        let archive = stock.archive("z", try readFile(folder["a.zip"]))
        stock.serveManifest([archive.replacing(#""archive""#, with: #""textures""#)])
        let run = try await stock.sync("--json")
        #expect(run.status == .exited(0), "\(run)")
        let warnings = run.events.filter { $0.name == "warning" }.compactMap { $0.value["message"]?.string }
        #expect(warnings.count == 101)
        #expect(warnings.first?.hasPrefix("the image '100.png'") == true)
        #expect(warnings.last == "and 3 more images are not what their names say")
    }
}
