import Platform

/// Every path that an unpacking will create, as a tree in few bytes a node: what is there already decides whether a further entry is safe.
struct PathTree {
    enum Kind: UInt8 {
        case directory, file, symbolicLink
    }

    /// A place in the tree; parents have lower ones than their children.
    struct Node: Hashable {
        let index: UInt32
        static let root = Node(index: 0)
    }

    /// What adding a path found.
    struct Insertion {
        let node: Node
        /// Nothing had this path before.
        let isNew: Bool
        /// A sibling, at whatever level of the path, whose name differs only by case or Unicode normalisation.
        let lookalike: Node?
    }

    /// What a node takes beside its name and its share of the hash table.
    struct Storage {
        fileprivate let nameOffset: UInt32
        fileprivate let parent: UInt32
        fileprivate let foldedHash: UInt32
        fileprivate let nameBytes: UInt8
        fileprivate let kind: Kind
    }

    /// All names end to end; nodes refer to parts of it.
    private(set) var names: [UInt8]
    private var nodes = [Storage(nameOffset: 0, parent: 0, foldedHash: 0, nameBytes: 0, kind: .directory)]
    /// An open hash table of node indices; 0, the root's, is a free slot.
    private var slots: [UInt32]

    /// - Parameters:
    ///   - names: what the ranges given to `insert` refer to.
    ///   - capacity: how many nodes to expect.
    init(names: [UInt8] = [], capacity: Int = 0) {
        self.names = names
        // Some room for directories that no entry names, lest the array be doubled for them.
        nodes.reserveCapacity(capacity + capacity / 8 + 1)
        slots = Array(repeating: 0, count: Self.tableSize(for: capacity))
    }

    /// How many nodes there are, the root included.
    var count: Int { nodes.count }

    func kind(of node: Node) -> Kind { nodes[Int(node.index)].kind }
    func parent(of node: Node) -> Node { Node(index: nodes[Int(node.index)].parent) }
    func node(at index: Int) -> Node { Node(index: UInt32(truncatingIfNeeded: index)) }

    /// The path of `node`; nil for the root.
    func path(of node: Node) -> RelativePath? {
        var components: [ArraySlice<UInt8>] = []
        var current = node
        while current != .root {
            components.append(name(of: nodes[Int(current.index)]))
            current = parent(of: current)
        }
        // Every name was judged when it was inserted; only a path of the maximal length can fail here, and none longer was let in.
        return try? RelativePath(Array(components.reversed().joined(separator: [UInt8(ascii: "/")])))
    }

    /// The path of `node`, which must not be the root, where the kernel can take it.
    func validPath(of node: Node) throws(ArchiveError) -> RelativePath {
        guard let path = path(of: node) else { throw ArchiveError(.unsafe, "the path is over 4,095 bytes long") }
        return path
    }

    /// The path of `node` for messages.
    func description(of node: Node) -> String { path(of: node).map { shownName($0.bytes) } ?? "." }

    /// As many bytes of names as are held at once: short names that compress well could come without end.
    static let maximumNamesBytes = 256 << 20

    /// Appends a name that a following `insert` refers to.
    mutating func appendName(_ name: some Collection<UInt8>) throws(ArchiveError) -> Range<Int> {
        let start = names.count
        guard name.count <= Self.maximumNamesBytes - start else {
            throw ArchiveError(.limitExceeded, "the names are longer than \(Self.maximumNamesBytes) bytes in all")
        }
        names += name
        return start..<names.count
    }

    /// The child of `parent` that is called `name`.
    func child(of parent: Node, named name: ArraySlice<UInt8>) -> Node? {
        search(name, in: parent, hash: Self.foldedHash(of: name, in: parent)).exact
    }

    /// Adds a path of the given components, and the directories on its way.
    /// - Throws: an error with the code `unsafe` when something else than a directory is on the way.
    mutating func insert(_ components: [Range<Int>], as kind: Kind) throws(ArchiveError) -> Insertion {
        var node = Node.root
        var isNew = false
        var lookalike: Node?
        for (position, range) in components.enumerated() {
            guard self.kind(of: node) == .directory else {
                let what = self.kind(of: node) == .file ? "file" : "symbolic link"
                throw ArchiveError(.unsafe, "lies beneath the \(what) '\(description(of: node))'")
            }
            let name = names[range]
            let hash = Self.foldedHash(of: name, in: node)
            let found = search(name, in: node, hash: hash)
            lookalike = lookalike ?? found.lookalike
            isNew = found.exact == nil
            if let exact = found.exact {
                node = exact
            } else {
                let isLast = position == components.count - 1
                node = try append(range, to: node, hash: hash, kind: isLast ? kind : .directory)
            }
        }
        return Insertion(node: node, isNew: isNew, lookalike: lookalike)
    }

    private mutating func append(
        _ name: Range<Int>, to parent: Node, hash: UInt32, kind: Kind
    ) throws(ArchiveError) -> Node {
        guard
            let index = UInt32(exactly: nodes.count), let offset = UInt32(exactly: name.lowerBound),
            let nameBytes = UInt8(exactly: name.count)
        else { throw ArchiveError(.limitExceeded, "there are more names than can be held") }
        nodes.append(
            Storage(nameOffset: offset, parent: parent.index, foldedHash: hash, nameBytes: nameBytes, kind: kind))
        if nodes.count * 4 > slots.count * 3 { grow() } else { occupy(index) }
        return Node(index: index)
    }

    private func name(of node: Storage) -> ArraySlice<UInt8> {
        names[Int(node.nameOffset)..<(Int(node.nameOffset) + Int(node.nameBytes))]
    }

    private func search(
        _ name: ArraySlice<UInt8>, in parent: Node, hash: UInt32
    ) -> (exact: Node?, lookalike: Node?) {
        var lookalike: Node?
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let node = nodes[Int(slots[slot])]
            if node.foldedHash == hash, node.parent == parent.index {
                let other = self.name(of: node)
                if other == name { return (Node(index: slots[slot]), nil) }
                if foldedName(other) == foldedName(name) { lookalike = Node(index: slots[slot]) }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return (nil, lookalike)
    }

    private mutating func occupy(_ index: UInt32) {
        var slot = Int(nodes[Int(index)].foldedHash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = index
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for index in 1..<nodes.count { occupy(UInt32(truncatingIfNeeded: index)) }
    }

    /// A power of two that leaves a quarter of the slots free.
    private static func tableSize(for capacity: Int) -> Int {
        var size = 64
        while size * 3 < (capacity + 1) * 4 { size *= 2 }
        return size
    }

    /// Equal for names that a folding file system takes for the same.
    private static func foldedHash(of name: ArraySlice<UInt8>, in parent: Node) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(parent.index)
        hasher.combine(foldedName(name))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}

/// A name as file systems that fold case and Unicode normalisation compare it: `String` compares canonical equivalents as equal. Bytes that
/// are not UTF-8 stand for themselves.
private func foldedName(_ name: ArraySlice<UInt8>) -> String {
    guard let text = String(validating: name, as: UTF8.self) else {
        return "\0" + name.map { String(UnicodeScalar($0)) }.joined()
    }
    return text.caseFolded
}
