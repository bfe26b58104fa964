/// The files that one bundle will make, to find those that can't stand beside each other.
///
/// Names that differ only in how Unicode composes them count as equal: some file systems can't tell them apart. No folder is kept in memory,
/// however many a path goes through: the paths are sorted, and then each is a neighbour of what it collides with.
enum OutputPaths {
    /// Two paths of which only one can be made.
    struct Collision: Equatable {
        let rule: ManifestRule
        /// The ordinals of the paths.
        let first: Int
        let again: Int
    }

    /// - Parameter paths: as `PathRules` takes them; an empty one stands for one that was refused.
    /// - Returns: for each path that is there already the first one; for each file that others have as a folder, one of these.
    static func collisions(among paths: [String]) -> [Collision] {
        var found: [Collision] = []
        SortedPaths(paths, as: PortableNames.composed).forEachCollision { first, again, isSame in
            found.append(Collision(rule: isSame ? .repeatedPath : .fileIsFolder, first: first, again: again))
        }
        // Most lists are all lower case.
        guard paths.contains(where: { $0.utf8.contains(where: mayHaveLowercase) }) else { return found }
        SortedPaths(paths) { PortableNames.composed($0.lowercased()) }.forEachCollision { first, again, _ in
            guard !collide(paths[first], paths[again]) else { return }
            found.append(Collision(rule: .caseCollision, first: first, again: again))
        }
        return found
    }

    private static func mayHaveLowercase(_ byte: UInt8) -> Bool { byte >= 0x80 || byte &- UInt8(ascii: "A") < 26 }

    private static func collide(_ one: String, _ other: String) -> Bool {
        one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
    }
}
