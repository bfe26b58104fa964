/// A pattern of paths beneath some directory, as `.gitignore` writes them; on bytes, as paths are.
///
/// - `*` stands for any bytes of one component, `?` for one of them, `[a-z]` for one in the list and `[!a-z]` for one that isn't;
///   `\` takes the next character for itself.
/// - `**` as a component of its own stands for any number of components, at the end for at least one.
/// - A pattern without a slash matches a component at any depth. One with a slash, if only in front, begins at the top.
/// - What matches a directory matches everything beneath it. With a slash at the end it matches directories alone.
package struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it was written, safe to print.
    package let description: String
    private let components: [Component]
    private let matchesDirectoriesOnly: Bool

    private enum Component: Hashable {
        /// `**`: any number of components, none too.
        case anyNumber
        case one([Element])

        init(_ elements: [Element]) { self = elements == [.anyBytes, .anyBytes] ? .anyNumber : .one(elements) }

        /// No path has a component like this one.
        var isNoComponent: Bool {
            let dot = Element.byte(UInt8(ascii: "."))
            return self == .one([]) || self == .one([dot]) || self == .one([dot, dot])
        }
    }

    private enum Element: Hashable {
        case byte(UInt8)
        case anyByte
        case anyBytes
        case list(Set<UInt8>, isNegated: Bool)

        func matches(_ byte: UInt8) -> Bool {
            switch self {
            case .byte(let own): own == byte
            case .anyByte, .anyBytes: true
            case .list(let bytes, let isNegated): bytes.contains(byte) != isNegated
            }
        }
    }

    package static let maximumBytes = RelativePath.maximumBytes

    package init(_ text: String) throws(PathPatternProblem) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let first = reader.rest.first else { throw .empty }
        guard reader.rest.count <= Self.maximumBytes else { throw .tooLong }
        guard first != UInt8(ascii: "!") else { throw .leadingNegation }
        var components = try reader.components()
        let isAnchored = components.count > 1
        if isAnchored, components.first == .one([]) { components.removeFirst() }
        matchesDirectoriesOnly = components.count > 1 && components.last == .one([])
        if matchesDirectoriesOnly { components.removeLast() }
        if components.contains(where: \.isNoComponent) { throw .badComponent }
        if components.last == .anyNumber { components.append(.one([.anyBytes])) }
        // A slash at the end alone doesn't bind the pattern to the top.
        if !isAnchored || (matchesDirectoriesOnly && components.count == 1 && first != UInt8(ascii: "/")) {
            components.insert(.anyNumber, at: 0)
        }
        self.components = components
        description = escapedText(text)
    }

    /// Whether the pattern matches the path of these components, or a directory on its way.
    /// - Complexity: at worst the product of the lengths of pattern and path: one `**`, and in a component one `*`, is tried anew at a time.
    package func matches(_ path: [ArraySlice<UInt8>], isDirectory: Bool) -> Bool {
        // What lies beneath counts too: as if the pattern went on with any number of components, at least one beneath a mere directory.
        var pattern = components + [.anyNumber]
        if matchesDirectoriesOnly, !isDirectory { pattern.append(.one([.anyBytes])) }
        return wildcardMatch(
            pattern, path[...], isRepeating: { $0 == .anyNumber },
            matches: { component, name in
                guard case .one(let elements) = component else { return false }
                return wildcardMatch(elements, name, isRepeating: { $0 == .anyBytes }, matches: { $0.matches($1) })
            })
    }

    /// Reads a pattern from front to back.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// The components, those between two slashes, and before or behind one at an end, empty.
        mutating func components() throws(PathPatternProblem) -> [Component] {
            var components: [Component] = []
            var elements: [Element] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "/"):
                    components.append(Component(elements))
                    elements = []
                case UInt8(ascii: "*"): elements.append(.anyBytes)
                case UInt8(ascii: "?"): elements.append(.anyByte)
                case UInt8(ascii: "["): elements.append(try list())
                case UInt8(ascii: "\\"): elements.append(.byte(try escaped()))
                default: elements.append(.byte(byte))
                }
            }
            return components + [Component(elements)]
        }

        private mutating func escaped() throws(PathPatternProblem) -> UInt8 {
            guard let byte = rest.popFirst() else { throw .trailingBackslash }
            guard byte != UInt8(ascii: "/") else { throw .escapedSlash }
            return byte
        }

        /// What follows `[`, with the `]` that ends it; one that comes first is in the list.
        private mutating func list() throws(PathPatternProblem) -> Element {
            var bytes: Set<UInt8> = []
            let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
            if isNegated { rest.removeFirst() }
            var isFirst = true
            while isFirst || rest.first != UInt8(ascii: "]") {
                isFirst = false
                let lowest = try listed()
                var highest = lowest
                if rest.first == UInt8(ascii: "-"), let next = rest.dropFirst().first, next != UInt8(ascii: "]") {
                    rest.removeFirst()
                    highest = try listed()
                }
                guard lowest <= highest else { throw .backwardRange }
                bytes.formUnion(lowest...highest)
            }
            rest.removeFirst()
            return .list(bytes, isNegated: isNegated)
        }

        private mutating func listed() throws(PathPatternProblem) -> UInt8 {
            guard let byte = rest.popFirst() else { throw .unclosedList }
            guard byte < 0x80, byte != UInt8(ascii: "/") else { throw .badListMember }
            if byte == UInt8(ascii: "["), let next = rest.first, ":=.".utf8.contains(next) { throw .namedClass }
            return byte == UInt8(ascii: "\\") ? try escaped() : byte
        }
    }
}

/// Why a text is no pattern of paths.
package enum PathPatternProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case empty, tooLong, leadingNegation, badComponent, trailingBackslash, escapedSlash, unclosedList, backwardRange
    case badListMember, namedClass

    package var description: String {
        switch self {
        case .empty: "the pattern is empty"
        case .tooLong: "the pattern is longer than \(PathPattern.maximumBytes) bytes"
        case .leadingNegation: "a pattern can't be negated with '!'; '\\!' stands for the character"
        case .badComponent: "the pattern has an empty component, or '.' or '..', which no path has"
        case .trailingBackslash: "nothing follows the last '\\'"
        case .escapedSlash: "a slash can't be escaped"
        case .unclosedList: "a '[' is never closed; '\\[' stands for the character"
        case .backwardRange: "a range in '[…]' goes backwards"
        case .badListMember: "a list in '[…]' can hold ASCII characters other than '/' alone"
        case .namedClass: "classes such as [:alpha:] are not known; write a range such as [a-z]"
        }
    }
}

/// Matches a sequence against a pattern of which some elements stand for any number of the sequence's. Only the last of them that was met
/// ever has to be tried with more, so there is no more to remember.
private func wildcardMatch<Element, Value>(
    _ pattern: [Element], _ values: ArraySlice<Value>, isRepeating: (Element) -> Bool,
    matches: (Element, Value) -> Bool
) -> Bool {
    var element = 0
    var value = values.startIndex
    /// Behind the last repeating element, and the first value it doesn't stand for yet.
    var retry: (element: Int, value: Int)?
    while true {
        if element < pattern.count, isRepeating(pattern[element]) {
            element += 1
            retry = (element, value)
        } else if element < pattern.count, value < values.endIndex, matches(pattern[element], values[value]) {
            element += 1
            value += 1
        } else if element == pattern.count, value == values.endIndex {
            return true
        } else if let last = retry, last.value < values.endIndex {
            retry = (last.element, last.value + 1)
            (element, value) = (last.element, last.value + 1)
        } else {
            return false
        }
    }
}
