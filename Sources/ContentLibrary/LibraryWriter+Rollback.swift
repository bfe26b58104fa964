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
    /// - Throws: when there is no such generation, or not all of its content is here; nothing has changed then.
    package func rollBack(
        to target: GenerationNumber?, highestSerial: (ContentID) -> Int?
    ) throws(LibraryError) -> Generation {
        let generation = try library.generations.open(try rollbackTarget(target))
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
        }
        for (manifest, serial) in serials { serials[manifest] = max(serial, highestSerial(manifest) ?? serial) }
        try set(LibraryPin(generation: generation.number, hold: .serials(serials)))
        try translating { () throws(SystemError) in try makeCurrent(generation.number) }
        return generation
    }

    private func rollbackTarget(_ wanted: GenerationNumber?) throws(LibraryError) -> GenerationNumber {
        let kept = try library.generations.numbers()
        let names = kept.map { "\($0.value)" }.joined(separator: ", ")
        if let wanted {
            if kept.contains(wanted) { return wanted }
            throw LibraryError(.notThere, "there is no generation \(wanted.value); kept are: \(names)")
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
