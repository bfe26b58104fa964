import Platform

/// The files that one bundle will make, to find those that can't stand beside each other.
///
/// Names that differ only in how Unicode composes them count as equal: some file systems can't tell them apart. No folder is kept in memory,
/// however many a path goes through: unless they are known to be apart, the paths are sorted, and then each is a neighbour of what it collides
/// with.
enum OutputPaths {
    /// Two paths of which only one can be made.
    struct Collision: Equatable {
        let rule: ManifestRule
        /// The ordinals of the paths.
        let first: Int
        let again: Int
    }

    /// - Parameters:
    ///   - paths: as `PathRules` takes them; an empty one stands for one that was refused.
    ///   - last: one more file, in no folder.
    /// - Returns: for each path that is there already the first one; for each file that others have as a folder, one of these.
    static func collisions(among paths: some Collection<String>, and last: String? = nil) -> [Collision] {
        if TextOrder.tellsApart(paths), last.map({ isApart($0, from: paths) }) ?? true { return [] }
        return collisions(inAnyOrder: Array(paths) + (last.map { [$0] } ?? []))
    }

    /// Whether none of the paths begins as a file is called; case doesn't count.
    private static func isApart(_ file: String, from paths: some Collection<String>) -> Bool {
        let name = Array(file.lowercased().utf8)
        return name.allSatisfy { $0 < 0x80 }
            && !paths.contains { path in
                path.utf8.count >= name.count && zip(path.utf8, name).allSatisfy { lowercased($0) == $1 }
            }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    private static func collisions(inAnyOrder paths: [String]) -> [Collision] {
        var found: [Collision] = []
        SortedPaths(paths, as: PortableNames.composed).forEachCollision { first, again, isSame in
            found.append(Collision(rule: isSame ? .repeatedPath : .fileIsFolder, first: first, again: again))
        }
        // Most lists are all lower case.
        guard paths.contains(where: { $0.utf8.contains(where: mayHaveLowercase) }) else { return found }
        SortedPaths(paths) { PortableNames.composed($0.caseFolded) }.forEachCollision { first, again, _ in
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
