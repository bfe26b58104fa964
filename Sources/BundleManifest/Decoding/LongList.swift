import Glibc
import JSONSyntax
import Platform

/// The elements of a list, decoded; of a long one by two threads, each with findings of its own until they are put together.
struct LongList<Element: Sendable>: Sendable {
    let element: ValueType<Element>
    /// Below that a thread isn't worth its start.
    private let longBytes = 1 << 20

    func decode(_ list: JSONValue, _ context: inout DecodingContext) -> [Element] {
        // Counting is far cheaper than to hold an old and a grown array of a million elements at once.
        let count = list.elements.reduce(0) { count, _ in count + 1 }
        let half = count / 2
        guard list.range.end - list.range.start >= longBytes, half > 0, sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 else {
            return decode(list.elements, count, &context, capacity: count)
        }
        var rest = list.elements
        for _ in 0..<half { _ = rest.next() }
        let second = SecondHalf(list: self, elements: rest, count: count - half, options: context.options)
        var elements = decode(list.elements, half, &context, capacity: count)
        let (others, findings) = second.result()
        elements += others
        context.append(findings)
        return elements
    }

    fileprivate func decode(
        _ list: JSONElements, _ count: Int, _ context: inout DecodingContext, capacity: Int
    ) -> [Element] {
        var list = list
        var elements: [Element] = []
        elements.reserveCapacity(capacity)
        for _ in 0..<count {
            guard let value = list.next() else { break }
            if let decoded = element.decode(value, &context) { elements.append(decoded) }
        }
        return elements
    }
}

/// What another thread makes of a list's second half.
private struct SecondHalf<Element: Sendable> {
    private let decoded = Locked<(elements: [Element], context: DecodingContext)?>(nil)
    private let thread: WorkerThread
    private let options: ManifestDecodingOptions

    init(list: LongList<Element>, elements: JSONElements, count: Int, options: ManifestDecodingOptions) {
        self.options = options
        thread = WorkerThread(name: "larder-decode") { [decoded] in
            var context = DecodingContext(options: options)
            let result = list.decode(elements, count, &context, capacity: count)
            decoded.withLock { $0 = (result, context) }
        }
    }

    /// Waits for it.
    func result() -> (elements: [Element], context: DecodingContext) {
        thread.join()
        return decoded.withLock { result in
            defer { result = nil }
            return result ?? ([], DecodingContext(options: options))
        }
    }
}
