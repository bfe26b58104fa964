/// Where the symbolic links of the archive lead, as the kernel would follow them through the tree that is being made. What is found of one is
/// kept: each target is walked once, however many links pass through it.
struct LinkResolution {
    /// As many links, each within the other, as Linux follows.
    private static let maximumLinks = 40

    private struct Destination {
        var place: PathTree.Node
        /// How far below `place` it is, in names that the archive doesn't have.
        var unknownDepth = 0
        /// Whether a name on the way is one that the archive doesn't have: then there is nothing, wherever the rest leads.
        var isMissing = false
        /// How many links are followed within each other on the way, the first one included.
        var links = 1

        mutating func follow(_ link: Destination) {
            (place, unknownDepth) = (link.place, link.unknownDepth)
            isMissing = isMissing || link.isMissing
            links = max(links, link.links + 1)
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

    private let tree: PathTree
    private let targets: [PathTree.Node: [UInt8]]
    /// Nil stands for a link that leads into a loop, and for one that is being followed: whoever comes to that again is in one.
    private var destinations: [PathTree.Node: Destination?] = [:]

    init(tree: PathTree, targets: [PathTree.Node: [UInt8]]) {
        self.tree = tree
        self.targets = targets
    }

    /// Throws unless the link at `link` stays within the tree, followed through whatever other links it meets. A link that leads into a loop
    /// may be created: whoever opens it gets an error from the kernel.
    /// - Returns: whether it leads to something in the tree.
    mutating func judge(_ link: PathTree.Node) throws(ArchiveError) -> Bool {
        guard let destination = try destination(of: link, within: 0) else { return false }
        return !destination.isMissing
    }

    /// - Parameter links: how many links are being followed.
    /// - Returns: nil when it leads into a loop.
    private mutating func destination(
        of link: PathTree.Node, within links: Int
    ) throws(ArchiveError) -> Destination? {
        if let known = destinations[link] {
            guard let known else { return nil }
            try Self.check(links: links + known.links)
            return known
        }
        try Self.check(links: links + 1)
        destinations.updateValue(nil, forKey: link)
        let destination = try walk(from: link, within: links + 1)
        destinations.updateValue(destination, forKey: link)
        return destination
    }

    private static func check(links: Int) throws(ArchiveError) {
        guard links <= maximumLinks else {
            throw ArchiveError(.unsafe, "the link's target takes too many steps to follow")
        }
    }

    private mutating func walk(from link: PathTree.Node, within links: Int) throws(ArchiveError) -> Destination? {
        var end = Destination(place: tree.parent(of: link))
        for component in try Self.components(of: targets[link] ?? []) {
            if component.elementsEqual("..".utf8) {
                try end.goUp(in: tree)
            } else if end.unknownDepth == 0, let next = tree.child(of: end.place, named: component) {
                if tree.kind(of: next) != .symbolicLink {
                    end.place = next
                } else if let destination = try destination(of: next, within: links) {
                    end.follow(destination)
                } else {
                    return nil
                }
            } else {
                end.unknownDepth += 1
                end.isMissing = true
            }
        }
        return end
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
