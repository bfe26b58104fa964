import Glibc
import JSONSyntax
import Platform

/// That a library stays as it is for a while, because its operator says so: `.larder/pin`.
///
/// A file of its own and not a line of the index, which may be lost. Where there is one, it holds, whatever else a crash has left undone.
package struct LibraryPin: Hashable, Sendable {
    package enum Hold: Hashable, Sendable {
        /// Nothing new is published, until somebody unpins.
        case everything
        /// By manifest, the highest serial that isn't published again: a higher one lifts the pin of its manifest.
        case serials([ContentID: Int])
    }

    /// The generation at which the library is held: what was current when it was set, or what has been published since of that which isn't held.
    package let generation: GenerationNumber
    package let created: Timestamp
    package let hold: Hold

    package init(generation: GenerationNumber, hold: Hold, created: Timestamp = .now) {
        (self.generation, self.hold) = (generation, hold)
        self.created = Timestamp(seconds: created.seconds)
    }

    /// Whether it keeps a manifest of this serial from being published.
    package func holds(_ manifest: ContentID, serial: Int) -> Bool {
        switch hold {
        case .everything: true
        case .serials(let serials): serials[manifest].map { serial <= $0 } ?? false
        }
    }

    /// What of it stays at a generation that is current by now; nil for nothing.
    func keeping(
        at current: GenerationNumber, _ isKept: (ContentID, _ serial: Int) -> Bool
    ) -> LibraryPin? {
        guard case .serials(let serials) = hold else {
            return LibraryPin(generation: current, hold: hold, created: created)
        }
        let left = serials.filter { isKept($0.key, $0.value) }
        return left.isEmpty ? nil : LibraryPin(generation: current, hold: .serials(left), created: created)
    }
}

/// The pin on the disk: `format`, `created`, `generation`, and `manifests`: by id the highest serial that is held, or null for everything.
extension LibraryPin {
    private static let format = "larder-pin/1"

    var encoded: [UInt8] {
        var writer = JSONWriter(.pretty)
        writer.object { pin in
            pin.member("format", Self.format)
            pin.member("created", created.rfc3339)
            pin.member("generation", generation.value)
            pin.key("manifests")
            switch hold {
            case .everything: pin.null()
            case .serials(let serials):
                pin.object { manifests in
                    for (manifest, serial) in serials.sorted(by: { $0.key < $1.key }) {
                        manifests.member(manifest.description, serial)
                    }
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Nil for anything but what `encoded` writes.
    init?(decoding bytes: [UInt8]) {
        guard let root = try? JSONDocument(bytes, name: "a pin").root, root["format"]?.string == Self.format,
            let created = root["created"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
            let generation = root["generation"]?.integer.flatMap({ GenerationNumber($0) }),
            let manifests = root["manifests"]
        else { return nil }
        if manifests.isNull {
            self.init(generation: generation, hold: .everything, created: created)
            return
        }
        guard manifests.kind == .object else { return nil }
        var serials: [ContentID: Int] = [:]
        for member in manifests.members {
            guard let manifest = member.key.string.flatMap({ ContentID($0) }), let serial = member.value.integer else {
                return nil
            }
            serials[manifest] = serial
        }
        self.init(generation: generation, hold: .serials(serials), created: created)
    }
}

extension Library {
    /// A pin is short: a line for each manifest.
    private static let longestPinBytes = 16 << 20

    /// What keeps the library as it is; nil for nothing.
    /// - Throws: `damaged` for a pin that can't be read. It holds all the same: nobody knows what it was for.
    package func pin() throws(LibraryError) -> LibraryPin? {
        let file: OwnedDescriptor?
        let bytes: [UInt8]
        do throws(SystemError) {
            file = try internals.openIfThere(LibraryLayout.pin, flags: O_RDONLY | O_NONBLOCK)
            guard let file else { return nil }
            bytes = try file.readAll(limitBytes: Self.longestPinBytes)
        } catch {
            guard [EFBIG, EISDIR, ELOOP].contains(error.code) else { throw LibraryError(error) }
            throw damagedPin
        }
        guard let pin = LibraryPin(decoding: bytes) else { throw damagedPin }
        return pin
    }

    private var damagedPin: LibraryError {
        LibraryError(
            .damaged,
            "\(internals.name)/\(LibraryLayout.pin) can't be read, so nothing is published; larder unpin removes it")
    }
}

extension LibraryWriter {
    /// Sets a pin, for good: it survives whatever happens next.
    package func set(_ pin: LibraryPin) throws(LibraryError) {
        try translating { () throws(SystemError) in
            try library.internals.replaceFile(LibraryLayout.pin, with: pin.encoded, flush: true)
        }
    }

    /// Removes the pin, whatever it says.
    /// - Returns: whether there was one.
    @discardableResult
    package func removePin() throws(LibraryError) -> Bool {
        try translating { () throws(SystemError) in
            guard try library.internals.status(of: LibraryLayout.pin) != nil else { return false }
            try library.internals.removeTree(LibraryLayout.pin)
            try library.internals.synchronize()
            return true
        }
    }

    /// Lets go of what the pin says of manifests that are published with a higher serial by now; for the others it holds at what is current.
    package func liftPin(for published: [ContentID: Int]) throws(LibraryError) {
        _ = try reducePin { manifest, serial in published[manifest].map { $0 <= serial } ?? true }
    }

    /// Lets go of what the pin says of a manifest that is forgotten; for the others it holds at what is current.
    /// - Returns: what is left of it.
    package func releasePin(of forgotten: ContentID) throws(LibraryError) -> LibraryPin? {
        try reducePin { manifest, _ in manifest != forgotten }
    }

    private func reducePin(_ isKept: (ContentID, _ serial: Int) -> Bool) throws(LibraryError) -> LibraryPin? {
        guard let pin = try library.pin(), let current = try library.generations.currentNumber() else { return nil }
        let left = pin.keeping(at: current, isKept)
        if let left {
            if left != pin { try set(left) }
        } else {
            try removePin()
        }
        return left
    }
}
