import BundleManifest
import Downloads
import Transfer

/// Whose manifests a run follows.
struct ManifestTrust: Sendable {
    /// Who vouches for a manifest.
    struct Voucher: Sendable {
        let key: MinisignPublicKey
        /// Nil where an earlier run looked at it, and kept it.
        let signature: MinisignSignature?

        /// What the signer says besides, as it stands in the signature.
        var comment: String? { signature?.trustedComment }
    }

    /// How long whoever replaces a manifest and its signature is given for the second one.
    private static let replacement = Duration.seconds(2)

    private let keys: [MinisignPublicKey]

    /// - Parameter keys: of whom manifests may be; empty: anybody's, signed or not.
    init(_ keys: [MinisignPublicKey]) { self.keys = keys }

    var isRequired: Bool { !keys.isEmpty }

    /// Makes sure that a manifest is signed by one of the keys, where there are any.
    /// - Parameters:
    ///   - reply: what was read from `location`; another one, where it and its signature were just being replaced.
    ///   - known: what an earlier run read there: of bytes that haven't changed the signature isn't asked for again, as long as it is kept.
    /// - Returns: nil where no signature is asked for.
    /// - Throws: `RunProblem` with 77 when it isn't signed so, 66 when that can't be told.
    func check(
        _ reply: inout ManifestReply, _ known: KnownManifest?, from location: ManifestLocation,
        _ downloader: Downloader, _ redirects: RedirectPolicy
    ) async throws(RunProblem) -> Voucher? {
        guard isRequired else { return nil }
        if reply.isUnchanged, let known, let key = keptVoucher(of: known, location) {
            return Voucher(key: key, signature: nil)
        }
        let signature = try await location.readSignature(downloader, redirects)
        do throws(SignatureError) { return try verify(signature, reply, location) } catch {
            guard error == .otherBytes else { throw refusal(error, location) }
        }
        // Two files can't be replaced at once: one of them may be older than the other one.
        do { try await Task.sleep(for: Self.replacement) } catch { throw .stopped }
        reply = try await location.read(downloader, redirects)
        let second = try await location.readSignature(downloader, redirects)
        do throws(SignatureError) { return try verify(second, reply, location) } catch {
            throw refusal(error, location)
        }
    }

    /// Who vouches by the signature that is kept: one that was damaged is asked for again.
    private func keptVoucher(of known: KnownManifest, _ location: ManifestLocation) -> MinisignPublicKey? {
        guard let signer = keys.first(where: { $0.description == known.record.signer }),
            let signature = known.signature.flatMap({ try? MinisignSignature($0) })
        else { return nil }
        return try? signature.verify(known.bytes, called: location.fileName, by: [signer])
    }

    private func verify(
        _ signature: MinisignSignature, _ reply: ManifestReply, _ location: ManifestLocation
    ) throws(SignatureError) -> Voucher {
        let key = try signature.verify(reply.bytes, called: location.fileName, by: keys)
        return Voucher(key: key, signature: signature)
    }

    private func refusal(_ error: SignatureError, _ location: ManifestLocation) -> RunProblem {
        RunProblem(error.isUndecided ? .unreadable : .refused, "\(location): \(error). What is published stays")
    }
}
