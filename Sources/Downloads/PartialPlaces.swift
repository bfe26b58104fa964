import Platform

/// Which partial files are in use inside this process. The kernel's lock keeps other processes out; inside one, the next download of a
/// place waits its turn, or gets the complete file that still lies there, if that is what it is for.
struct PartialPlaces {
    private struct Occupant {
        weak var file: DownloadedFile?
        /// What the file was fetched for.
        var plan: AttemptPlan?
        var waiting: [(attempt: AttemptID, enter: @Sendable () -> Void)] = []
    }

    private var occupants: [PartialPlace: Occupant] = [:]

    enum Admission {
        case free
        /// A complete file lies there, which nobody has taken away yet, and it is what was asked for.
        case complete(DownloadedFile)
        case mustWait
    }

    /// Takes a place.
    /// - Parameter retry: handed out by `leave` when the place is free again, if it must be waited for.
    mutating func enter(_ place: PartialPlace, for plan: AttemptPlan, retry: @escaping @Sendable () -> Void)
        -> Admission
    {
        guard let occupant = occupants[place] else {
            occupants[place] = Occupant()
            return .free
        }
        if let file = occupant.file, file.isWaiting, occupant.plan?.brings(file, for: plan) == true {
            return .complete(file)
        }
        occupants[place]?.waiting.append((plan.attempt, retry))
        return .mustWait
    }

    /// Takes a try back that waits for a place.
    /// - Returns: whether it did wait.
    mutating func abandon(_ place: PartialPlace, _ attempt: AttemptID) -> Bool {
        guard let index = occupants[place]?.waiting.firstIndex(where: { $0.attempt == attempt }) else { return false }
        occupants[place]?.waiting.remove(at: index)
        return true
    }

    /// Notes the complete file that a place holds, and what it was fetched for.
    mutating func fill(_ place: PartialPlace, with file: DownloadedFile, for plan: AttemptPlan) {
        occupants[place]?.file = file
        occupants[place]?.plan = plan
    }

    /// Gives a place back.
    /// - Returns: who waited for it.
    mutating func leave(_ place: PartialPlace) -> [@Sendable () -> Void] {
        occupants.removeValue(forKey: place)?.waiting.map(\.enter) ?? []
    }
}

extension AttemptPlan {
    /// Whether what this one brought is what another one is for: the same digest, or the same request.
    fileprivate func brings(_ file: DownloadedFile, for other: AttemptPlan) -> Bool {
        if let digestKey, digestKey == other.digestKey { return true }
        return key == other.key && (other.digest == nil || other.digest == file.digest)
    }
}
