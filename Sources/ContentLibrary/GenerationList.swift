import Glibc
import JSONSyntax
import Platform

/// What a generation was published with: what tells it from one that has lost a link or a manifest since, and what these are put back by.
///
/// It lies in the generation itself, hidden as the manifests are: one line of JSON (`format`, `number`, and by id for each of `manifests` the `sha256` of
/// its exact bytes and its `bundles`, each with the name of its content), and a second one with the `sha256` of the first. One that had to be made anew
/// after it was lost, and may lack something, is `incomplete`.
struct GenerationList {
    struct Manifest {
        /// Nil where the generation had to be published without the manifest's bytes.
        var sha256: SHA256Digest?
        var bundles: [ContentID: StoreName]
    }

    private static let format = "larder-generation/1"
    private static let limitBytes = 1 << 30

    let manifests: [ContentID: Manifest]
    /// Whether the generation may have been published with more.
    let isIncomplete: Bool

    init(_ manifests: [ContentID: Manifest], isIncomplete: Bool = false) {
        (self.manifests, self.isIncomplete) = (manifests, isIncomplete)
    }

    /// Reads the list of a generation; nil where there is none that can be believed.
    init?(of number: GenerationNumber, in directory: Directory) {
        guard let bytes = try? directory.readFile(LibraryLayout.generationList, limitBytes: Self.limitBytes),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let proof = try? JSONDocument(Array(bytes[(end + 1)...]), name: "the end of a list").root,
            proof["sha256"]?.string == SHA256.digest(of: bytes[...end]).description,
            let root = try? JSONDocument(Array(bytes[..<end]), name: "a list").root,
            root["format"]?.string == Self.format, root["number"]?.integer == number.value,
            let members = root["manifests"]?.members
        else { return nil }
        var manifests: [ContentID: Manifest] = [:]
        for member in members {
            guard let id = member.key.string.flatMap({ ContentID($0) }), let manifest = Manifest(member.value) else {
                return nil
            }
            manifests[id] = manifest
        }
        self.init(manifests, isIncomplete: root["incomplete"] != nil)
    }

    func encoded(as number: GenerationNumber) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { list in
            list.member("format", Self.format)
            list.member("number", number.value)
            if isIncomplete { list.member("incomplete", true) }
            list.object("manifests") { list in
                for (id, manifest) in manifests.sorted(by: { $0.key < $1.key }) {
                    list.object(id.description) { $0.members(of: manifest) }
                }
            }
        }
        let line = writer.bytes + [UInt8(ascii: "\n")]
        var proof = JSONWriter()
        proof.object { $0.member("sha256", SHA256.digest(of: line).description) }
        return line + proof.bytes + [UInt8(ascii: "\n")]
    }
}

extension GenerationList.Manifest {
    fileprivate init?(_ value: JSONValue) {
        guard let sha256 = value["sha256"], let members = value["bundles"]?.members else { return nil }
        var bundles: [ContentID: StoreName] = [:]
        for member in members {
            guard let id = member.key.string.flatMap({ ContentID($0) }),
                let name = member.value.string.flatMap({ StoreName($0.utf8) })
            else { return nil }
            bundles[id] = name
        }
        self.init(sha256: sha256.string.flatMap { SHA256Digest(hex: $0) }, bundles: bundles)
    }
}

extension JSONWriter {
    fileprivate mutating func members(of manifest: GenerationList.Manifest) {
        key("sha256")
        if let sha256 = manifest.sha256 { value(sha256.description) } else { null() }
        object("bundles") { list in
            for (id, name) in manifest.bundles.sorted(by: { $0.key < $1.key }) {
                list.member(id.description, name.description)
            }
        }
    }
}
