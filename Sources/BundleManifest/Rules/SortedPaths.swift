import Glibc

/// Paths in such an order that what is in a folder comes right after a file of the same name.
struct SortedPaths {
    /// What the paths are compared by, one after the other in one piece of memory.
    private var keys: [UInt8] = []
    /// Where each key begins, and where the last one ends.
    private var starts = [0]
    /// The paths' ordinals; empty ones are left out.
    private var order: [Int] = []

    /// Comes before all that a name can hold: `PathRules` takes no control characters.
    private static let separator: UInt8 = 1

    /// - Parameter key: what a path counts as that isn't all ASCII in lower case.
    init(_ paths: [String], as key: (String) -> String) {
        starts.reserveCapacity(paths.count + 1)
        for path in paths {
            let isItsOwnKey = path.utf8.allSatisfy { $0 < 0x80 && $0 &- UInt8(ascii: "A") >= 26 }
            keys += (isItsOwnKey ? path : key(path)).utf8
            starts.append(keys.count)
        }
        for index in keys.indices where keys[index] == UInt8(ascii: "/") { keys[index] = Self.separator }
        var order = paths.indices.filter { !range($0).isEmpty }
        order.sort { one, other in
            let difference = compare(one, other)
            return difference == 0 ? one < other : difference < 0
        }
        self.order = order
    }

    /// Calls `body` with the ordinals of paths that are the same, or one of which is a folder of the other; `first` is the smaller one.
    func forEachCollision(_ body: (_ first: Int, _ again: Int, _ isSame: Bool) -> Void) {
        /// Files that the next path may be beneath, outermost first, each with the first path that is.
        var open: [(file: Int, beneath: Int?)] = []
        func closeLast() {
            guard let (file, beneath) = open.popLast(), let beneath else { return }
            body(min(file, beneath), max(file, beneath), false)
        }
        for path in order {
            if let last = open.last, compare(last.file, path) == 0 {
                body(last.file, path, true)
                continue
            }
            while let last = open.last, !isFolder(last.file, of: path) { closeLast() }
            if let last = open.indices.last { open[last].beneath = min(open[last].beneath ?? path, path) }
            open.append((path, nil))
        }
        while !open.isEmpty { closeLast() }
    }

    private func range(_ ordinal: Int) -> Range<Int> { starts[ordinal]..<starts[ordinal + 1] }

    /// Less than, equal to or greater than 0, as `memcmp` has it.
    private func compare(_ one: Int, _ other: Int) -> Int {
        let (one, other) = (range(one), range(other))
        let difference = compareBytes(one, other, min(one.count, other.count))
        return difference == 0 ? one.count - other.count : difference
    }

    private func isFolder(_ folder: Int, of path: Int) -> Bool {
        let (folder, path) = (range(folder), range(path))
        return path.count > folder.count && keys[path.lowerBound + folder.count] == Self.separator
            && compareBytes(folder, path, folder.count) == 0
    }

    private func compareBytes(_ one: Range<Int>, _ other: Range<Int>, _ count: Int) -> Int {
        keys.withUnsafeBytes { keys in
            guard let start = keys.baseAddress else { return 0 }
            return Int(memcmp(start + one.lowerBound, start + other.lowerBound, count))
        }
    }
}
