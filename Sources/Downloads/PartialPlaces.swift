/// Which partial files are in use inside this process. The kernel's lock keeps other processes out; inside one, the next download of a
/// place waits its turn, or gets the complete file that still lies there.
struct PartialPlaces {
    private struct Occupant {
        weak var file: DownloadedFile?
        var waiting: [(attempt: AttemptID, enter: @Sendable () -> Void)] = []
    }

    private var occupants: [String: Occupant] = [:]

    enum Admission {
        case free
        /// A complete file lies there, and nobody has taken it away yet.
        case complete(DownloadedFile)
        case mustWait
    }

    /// Takes a place.
    /// - Parameter retry: handed out by `leave` when the place is free again, if it must be waited for.
    mutating func enter(_ place: String, for attempt: AttemptID, retry: @escaping @Sendable () -> Void) -> Admission {
        guard let occupant = occupants[place] else {
            occupants[place] = Occupant()
            return .free
        }
        if let file = occupant.file, file.isWaiting { return .complete(file) }
        occupants[place]?.waiting.append((attempt, retry))
        return .mustWait
    }

    /// Takes a try back that waits for a place.
    /// - Returns: whether it did wait.
    mutating func abandon(_ place: String, _ attempt: AttemptID) -> Bool {
        guard let index = occupants[place]?.waiting.firstIndex(where: { $0.attempt == attempt }) else { return false }
        occupants[place]?.waiting.remove(at: index)
        return true
    }

    /// Notes the complete file that a place holds.
    mutating func fill(_ place: String, with file: DownloadedFile) { occupants[place]?.file = file }

    /// Gives a place back.
    /// - Returns: who waited for it.
    mutating func leave(_ place: String) -> [@Sendable () -> Void] {
        occupants.removeValue(forKey: place)?.waiting.map(\.enter) ?? []
    }
}
