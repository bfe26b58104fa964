extension PowerLoss {
    /// Reads a record: which changes there were, what each of them can't be without, and what was on the disk for good when.
    struct History {
        /// As it was, with all that came later, which has no name yet.
        private(set) var image: DiskImage
        private(set) var effects: [Effect] = []
        private(set) var moments: [Moment] = []
        private var durable: Set<Int> = []
        /// As it is by now.
        private var present: DiskImage
        /// Which change of names was the last of a name, and of what had it.
        private var lastOfName: [Name: Int] = [:]
        private var lastOfNode: [DiskImage.NodeID: Int] = [:]

        init(_ image: DiskImage) {
            self.image = image
            present = image
        }

        mutating func add(_ call: RecordedCall) {
            switch call {
            case .create(let place, let inode, let mode):
                let node = add(.file(DiskImage.File(mode: mode)), inode)
                if let name = name(place) { append(.add(name, node)) }
            case .unnamed(let inode, let mode): _ = add(.file(DiskImage.File(mode: mode)), inode)
            case .makeDirectory(let place, let inode, let mode):
                let node = add(.directory(mode: mode, entries: [:]), inode)
                if let name = name(place) { append(.add(name, node)) }
            case .symbolicLink(let place, let inode, let target):
                let node = add(.symbolicLink(target: target), inode)
                if let name = name(place) { append(.add(name, node)) }
            case .link(let place, let inode):
                if let name = name(place), let node = present.identities[inode] { append(.add(name, node)) }
            case .rename(let old, let new):
                if let old = name(old), let new = name(new) { append(.move(old, to: new)) }
            case .exchange(let one, let other):
                if let one = name(one), let other = name(other) { append(.swap(one, other)) }
            case .remove(let place): if let name = name(place) { append(.remove(name)) }
            case .write(let inode, let offset, let bytes):
                if let node = present.identities[inode] { append(.write(node, offset: offset, bytes: bytes)) }
            case .truncate(let inode, let length):
                if let node = present.identities[inode] { append(.truncate(node, lengthBytes: length)) }
            case .setMode(let inode, let mode):
                if let node = present.identities[inode] { append(.setMode(node, mode)) }
            case .setTime(let inode, let seconds, let nanoseconds):
                if let node = present.identities[inode] {
                    append(.setTime(node, seconds: seconds, nanoseconds: nanoseconds))
                }
            case .flush(let inode):
                addMoment()
                flush(inode)
            }
        }

        mutating func addMoment(isEnd: Bool = false) {
            // Nothing happened between two flushes: the later moment has fewer states, all of them the earlier's.
            if !isEnd, moments.last?.effectCount == effects.count { return }
            let pending = effects.indices.filter { !durable.contains($0) }
            moments.append(Moment(effectCount: effects.count, durable: durable, pending: pending))
        }

        private mutating func flush(_ inode: RecordedCall.Inode?) {
            guard let inode else {
                durable = Set(effects.indices)
                return
            }
            guard let node = present.identities[inode] else { return }
            for index in effects.indices where effects[index].change.isFlushed(with: node) { makeDurable(index) }
        }

        /// With all that it can't be without.
        private mutating func makeDurable(_ index: Int) {
            var pending = [index]
            while let index = pending.popLast() {
                if durable.insert(index).inserted { pending += effects[index].needs }
            }
        }

        private mutating func append(_ change: Effect.Change) {
            let names = change.names
            let nodes = names.compactMap { present.node($0.name, in: $0.directory) } + change.addedNodes
            let needs = names.compactMap { lastOfName[$0] } + nodes.compactMap { lastOfNode[$0] }
            let effect = Effect(change: change, needs: Set(needs))
            for name in names { lastOfName[name] = effects.count }
            for node in names.isEmpty ? [] : nodes { lastOfNode[node] = effects.count }
            effects.append(effect)
            effect.apply(to: &present, isTorn: false)
        }

        private mutating func add(_ node: DiskImage.Node, _ inode: RecordedCall.Inode) -> DiskImage.NodeID {
            _ = image.add(node, inode: inode)
            return present.add(node, inode: inode)
        }

        /// Nil in a directory of which nothing is known.
        private func name(_ place: RecordedCall.Place) -> Name? {
            present.identities[place.directory].map { Name(directory: $0, name: place.name) }
        }
    }
}
