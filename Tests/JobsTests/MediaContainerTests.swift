import Testing

@testable import Jobs

@Suite struct MediaContainerTests {
    private static let packet: [UInt8] = [0x47, 0x41, 0x00, 0x10] + Array(repeating: 0xff, count: 184)

    @Test(
        arguments: [
            (packet, .transportStream), (packet + packet + [0x47], .transportStream),
            ([0, 0, 0, 24] + Array("ftypiso6".utf8), .boxes), ([0, 0, 0, 16] + Array("moof".utf8), .boxes),
            ([0, 0, 0, 16] + Array("pdin".utf8), .boxes),
            (Array("ID3\u{4}".utf8), .packedAudio),
            // AAC-LC at 44,100 Hz, MP3 at 128 kbit/s, AC-3.
            ([0xff, 0xf1, 0x50, 0x80, 0x0b], .packedAudio), ([0xff, 0xfb, 0x90, 0x64], .packedAudio),
            ([0x0b, 0x77, 0x12], .packedAudio),
            (Array("WEBVTT\n".utf8), .webVTT), (Array("\u{feff}WEBVTT".utf8), .webVTT),
            ([0xff, 0xd8, 0xff, 0xe0], .picture), ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], .picture),
        ] as [([UInt8], MediaContainer)])
    func whatBeginsLikeThisIsKnown(head: [UInt8], container: MediaContainer) {
        #expect(MediaContainer(head: head) == container)
    }

    @Test(
        arguments: [
            [], Array(packet.dropLast()), packet + [0x48], Array(packet.dropFirst(100)), [0xff],
            // Reserved values: version, layer, bit rate and sampling rate of MPEG audio, sampling rate of AAC.
            [0xff, 0xeb, 0x90, 0x64], [0xff, 0xe9, 0x90, 0x64], [0xff, 0xe1, 0x50, 0x80], [0xff, 0xfb, 0xf0, 0x64],
            [0xff, 0xfb, 0x9c, 0x64], [0xff, 0xf1, 0x74, 0x80], Array("<!DOCTYPE html>".utf8), Array("#EXTM3U\n".utf8),
            Array(repeating: 0, count: 1000),
        ] as [[UInt8]])
    func anythingElseIsNothing(head: [UInt8]) {
        #expect(MediaContainer(head: head) == nil)
    }
}
