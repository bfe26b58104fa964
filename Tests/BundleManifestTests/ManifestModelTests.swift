import BundleManifest
import Platform
import Testing

/// What a manifest without errors is decoded into.
@Suite struct ManifestModelTests {
    @Test func everyKindIsDecodedWithAllItsFields() throws {
        let (decoded, diagnostics) = decode(everyKind)
        #expect(diagnostics.isEmpty, "that the film has no digest is no more than worth knowing")
        let manifest = try #require(decoded)
        #expect(manifest.id.text == "museum")
        #expect(manifest.serial == 42)
        #expect(manifest.created?.seconds == 1_795_910_400)
        #expect(manifest.expires == nil)
        #expect(manifest.mirrors.map(\.text) == ["https://a.example/content/", "https://b.example/content/"])
        #expect(manifest.bundles.map(\.kind) == [.textures, .ebook, .hls, .segments, .files])
        let digest = try #require(SHA256Digest(hex: digestText))

        let gallery = manifest.bundles[0]
        #expect(gallery.title == "Gallery textures")
        #expect(gallery.version == "7")
        #expect(gallery.priority == 3)
        #expect(!gallery.isRequired)
        #expect(gallery.after.map(\.text) == ["guide"])
        #expect(gallery.tags == ["big"])
        #expect(gallery.headers.map { "\($0.name): \($0.value)" } == ["X-Site: museum"])
        guard case .textures(let textures) = gallery.content else { return }
        #expect(textures.source.urls.map(\.text) == ["gallery.zip", "https://c.example/g.zip"])
        #expect(textures.source.sizeBytes == 73_194_614)
        #expect(textures.source.digest == digest)
        #expect(textures.filename == "g.zip")
        #expect(textures.unpack.format == .zip)
        #expect(textures.unpack.strip == 1)
        #expect(textures.unpack.include == ["**/*.png"])
        #expect(textures.unpack.exclude == ["**/tmp/**"])
        #expect(!textures.unpack.preservesTimes)
        let limits = textures.unpack.limits
        #expect(limits.entries == 10 && limits.totalBytes == 200_000_000 && limits.entryBytes == 30)
        #expect(limits.ratio == 40.5 && limits.depth == 5)

        guard case .hls(let presentation) = manifest.bundles[2].content else { return }
        let selection = presentation.selection
        #expect(presentation.playlist.urls.map(\.text) == ["film/master.m3u8"])
        #expect(selection.minBandwidth == 1000 && selection.maxBandwidth == 3_000_000)
        #expect(selection.resolution == PictureSize("1280x720"))
        #expect(selection.codecs == ["avc1"] && selection.frameRate == 30)
        #expect(selection.audio == ["en"] && selection.subtitles == ["de"] && !selection.takesAll)

        guard case .segments(let list) = manifest.bundles[3].content else { return }
        #expect(list.join?.filename == "radio.mp3" && list.join?.digest == digest)
        #expect(list.segments.map(\.path) == ["000.mp3"])
        #expect(list.segments[0].duration == .milliseconds(6500))
        #expect(list.segments[0].source.sizeBytes == 96000)

        guard case .files(let files) = manifest.bundles[4].content else { return }
        #expect(files.map(\.path) == ["a/readme.txt"])
        #expect(files[0].source.urls.map(\.text) == ["a/readme.txt"])
    }

    @Test(arguments: [("archive", UnpackFormat.auto), ("textures", .auto), ("ebook", .none)])
    func unpackDefaultsDependOnTheKind(_ kind: String, _ format: UnpackFormat) throws {
        let bundle = ebook().replacing("ebook", with: kind)
        let manifest = try #require(decode(manifest(bundles: "[\(bundle)]")).manifest)
        let file: PackagedFile? =
            switch manifest.bundles[0].content {
            case .archive(let file), .textures(let file), .ebook(let file): file
            default: nil
            }
        let unpack = try #require(file?.unpack)
        #expect(unpack.format == format)
        #expect(unpack.strip == 0 && unpack.include.isEmpty && unpack.exclude.isEmpty && unpack.preservesTimes)
        #expect(unpack.limits == UnpackLimits())
        #expect(file?.source.sizeBytes == nil && file?.filename == nil)
    }

    @Test func bundleDefaults() throws {
        let bundle = try #require(decode(manifest()).manifest?.bundles.first)
        #expect(bundle.priority == 0 && bundle.isRequired && bundle.after.isEmpty && bundle.tags.isEmpty)
        #expect(bundle.title == nil && bundle.version == nil && bundle.headers.isEmpty)
    }
}
