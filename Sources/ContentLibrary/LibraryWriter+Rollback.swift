import Platform

/// Back to what readers saw before.
extension LibraryWriter {
    /// Makes an older generation current, and holds the library there: of each manifest that any kept generation has, only a serial is published
    /// again that is higher than all of those.
    ///
    /// The pin comes first. Cut short in between, the library stays at what was current, and nothing brings back later what was to be left.
    /// - Parameters:
    ///   - target: nil for the one before the current one.
    ///   - highestSerial: the highest that is known to have been published of a manifest; generations may be gone that knew.
    /// - Returns: what keeps the library there: a pin that held everything goes on to do so.
    /// - Throws: when there is no such generation, or not all of its content is here; nothing has changed then.
    package func rollBack(
        to target: GenerationNumber?, highestSerial: (ContentID) -> Int?
    ) throws(LibraryError) -> LibraryPin {
        let number = try rollbackTarget(target)
        // Readers go where its links lead, whatever its list says.
        try bringBack(number)
        let generation = try library.generations.open(number)
        for address in generation.addresses where try library.store.open(address) == nil {
            throw LibraryError(
                .damaged,
                "generation \(generation.number.value) lacks the content \(address); name another one, or sync again"
            )
        }
        var serials: [ContentID: Int] = [:]
        for number in try library.generations.numbers() {
            guard let kept = try? library.generations.open(number) else { continue }
            serials.merge(try kept.serials(), uniquingKeysWith: max)
            // Of a manifest whose bytes are lost nothing else tells.
            for manifest in kept.manifests.keys {
                if let known = highestSerial(manifest) { serials[manifest] = max(known, serials[manifest] ?? known) }
            }
        }
        let pin = LibraryPin(generation: generation.number, hold: hold(atLeast: serials))
        try set(pin)
        try translating { () throws(SystemError) in try makeCurrent(generation.number) }
        return pin
    }

    /// What was held on purpose, or by a pin that nobody can read, isn't set free by the way.
    private func hold(atLeast serials: [ContentID: Int]) -> LibraryPin.Hold {
        do throws(LibraryError) {
            switch try library.pin()?.hold {
            case .everything?: return .everything
            case .serials(let held)?: return .serials(serials.merging(held, uniquingKeysWith: max))
            case nil: return .serials(serials)
            }
        } catch {
            return .everything
        }
    }

    private func rollbackTarget(_ wanted: GenerationNumber?) throws(LibraryError) -> GenerationNumber {
        let kept = try library.generations.numbers()
        let names = kept.map { "\($0.value)" }.joined(separator: ", ")
        if let wanted {
            if kept.contains(wanted) { return wanted }
            throw LibraryError(.unknownName, "there is no generation \(wanted.value); kept are: \(names)")
        }
        guard let current = try library.generations.currentNumber() else {
            throw LibraryError(.notThere, "nothing has been published: there is no generation to go back to")
        }
        guard let before = kept.last(where: { $0 < current }) else {
            throw LibraryError(
                .notThere, "no generation before the current one, \(current.value), is kept (see --keep of larder sync)"
            )
        }
        return before
    }

    /// Holds the library at its current generation, whatever arrives, until it is unpinned.
    /// - Throws: when nothing has been published.
    package func pinCurrent() throws(LibraryError) -> GenerationNumber {
        guard let current = try library.generations.currentNumber() else {
            throw LibraryError(.notThere, "nothing has been published: there is no generation to stay at")
        }
        try set(LibraryPin(generation: current, hold: .everything))
        return current
    }
}
