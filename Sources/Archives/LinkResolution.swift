/// Where a symbolic link of the archive leads, as the kernel would follow it through the tree that is being made.
struct LinkResolution {
    /// As many links in a row as Linux follows.
    private static let maximumLinks = 40
    /// So that chains of long targets can't keep the judge busy.
    private static let maximumSteps = 8_192

    let tree: PathTree
    let targets: [PathTree.Node: [UInt8]]

    /// Throws unless the link at `link` stays within the tree, followed through whatever other links it meets. A link that leads back to
    /// itself stays: whoever opens it gets an error from the kernel.
    /// - Returns: whether it leads to something in the tree.
    func judge(_ link: PathTree.Node) throws(ArchiveError) -> Bool {
        var walk = Walk(place: tree.parent(of: link))
        guard try walk.enter(link, targets: targets) else { return false }
        var steps = 0
        while let component = walk.next() {
            steps += 1
            guard steps <= Self.maximumSteps, walk.followed.count <= Self.maximumLinks else {
                throw ArchiveError(.unsafe, "the link's target takes too many steps to follow")
            }
            if component.elementsEqual("..".utf8) {
                try walk.goUp(in: tree)
            } else if walk.unknownDepth == 0, let next = tree.child(of: walk.place, named: component) {
                if tree.kind(of: next) != .symbolicLink {
                    walk.place = next
                } else if try !walk.enter(next, targets: targets) {
                    return false
                }
            } else {
                walk.unknownDepth += 1
            }
        }
        return walk.unknownDepth == 0
    }

    private struct Walk {
        var place: PathTree.Node
        /// How far below `place` it is, in names that the archive doesn't have.
        var unknownDepth = 0
        /// What is still to be walked, innermost last.
        private var pending: [ArraySlice<UInt8>] = []
        /// The links that led here, each with how much was pending behind it.
        private(set) var followed: [(link: PathTree.Node, pendingBehind: Int)] = []

        init(place: PathTree.Node) { self.place = place }

        mutating func next() -> ArraySlice<UInt8>? { pending.popLast() }

        /// Follows `link` from here; false when it is being followed already.
        mutating func enter(
            _ link: PathTree.Node, targets: [PathTree.Node: [UInt8]]
        ) throws(ArchiveError) -> Bool {
            while let last = followed.last, pending.count < last.pendingBehind { followed.removeLast() }
            if followed.contains(where: { $0.link == link }) { return false }
            followed.append((link, pending.count))
            let components = try LinkResolution.components(of: targets[link] ?? [])
            pending += components.reversed()
            return true
        }

        mutating func goUp(in tree: PathTree) throws(ArchiveError) {
            if unknownDepth > 0 {
                unknownDepth -= 1
            } else if place == .root {
                throw ArchiveError(.unsafe, "the link leaves the tree")
            } else {
                place = tree.parent(of: place)
            }
        }
    }

    /// The components of a target that is sound in itself.
    private static func components(of target: [UInt8]) throws(ArchiveError) -> [ArraySlice<UInt8>] {
        guard let first = target.first else { throw ArchiveError(.unsafe, "the link's target is empty") }
        guard target.count <= EntryPath.maximumBytes else {
            throw ArchiveError(.unsafe, "the link's target is over 4,095 bytes long")
        }
        if target.contains(0) { throw ArchiveError(.unsafe, "the link's target contains a NUL byte") }
        guard first != UInt8(ascii: "/") else {
            throw ArchiveError(.unsafe, "the link leaves the tree: it is absolute")
        }
        return target.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    }
}
