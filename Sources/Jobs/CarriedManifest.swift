import BundleManifest
import ContentLibrary

/// A manifest as it is carried to another library: to be synced there, and with its signature to be trusted there.
struct CarriedManifest: Sendable {
    let id: ContentID
    let bytes: [UInt8]
    private let signature: Signature?
    /// Whether a signature was kept of it that isn't carried.
    let leavesSignature: Bool

    private struct Signature: Sendable {
        let bytes: [UInt8]
        /// What the manifest has to be called for the signature to be one of it.
        let fileName: String
    }

    /// - Parameter signature: as it is kept; one that says of no file that it is its own proves nothing anywhere, and isn't carried.
    init(id: ContentID, bytes: [UInt8], signature: [UInt8]?) {
        (self.id, self.bytes) = (id, bytes)
        self.signature = signature.flatMap { bytes in
            guard let name = (try? MinisignSignature(bytes))?.signedFileName,
                MinisignSignature.signedName(of: name) == name
            else { return nil }
            return Signature(bytes: bytes, fileName: name)
        }
        leavesSignature = signature != nil && self.signature == nil
    }

    /// By which `sync` finds it, whoever signed it.
    var fileName: String { "\(id).json" }

    /// Its signature, where that is of a file of this name.
    var ownSignature: [UInt8]? { signature?.fileName == fileName ? signature?.bytes : nil }

    /// The manifest once more where its signature is of a file of another name: the signature names the file that it is of.
    var signedElsewhere: (folder: String, fileName: String, signature: [UInt8])? {
        guard let signature, signature.fileName != fileName else { return nil }
        return (folder, signature.fileName, signature.bytes)
    }

    /// What no manifest is called: these end in `.json`, and what is beside them in `.minisig`.
    var folder: String { "\(id).signed" }
}
