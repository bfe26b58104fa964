import Glibc
import JSONSyntax
import Platform

/// The elements of a list, decoded; of a long one by two threads, where the system grants a second one, each with findings of its own until
/// they are put together.
struct LongList<Element: Sendable>: Sendable {
    typealias ThreadStart = @Sendable (String, @escaping @Sendable () -> Void) throws(SystemError) -> WorkerThread

    /// Of the type of the elements this alone is kept: the whole is costly to copy.
    private let decodeElement: @Sendable (JSONValue, inout DecodingContext) -> Element?
    /// How the second thread is started.
    fileprivate let startThread: ThreadStart
    /// Below that a thread isn't worth its start.
    private let longBytes = 1 << 20

    init(
        element: ValueType<Element>,
        startThread: @escaping ThreadStart = { name, body throws(SystemError) in
            try WorkerThread(ifGranted: name, body)
        }
    ) {
        (decodeElement, self.startThread) = (element.decode, startThread)
    }

    @inline(__always)
    func decode(_ list: JSONValue, _ context: inout DecodingContext) -> [Element] {
        // Counting is far cheaper than to hold an old and a grown array of a million elements at once.
        let count = list.elementCount
        let half = count / 2
        let isLong = list.range.end - list.range.start >= longBytes && half > 0
        return [Element](unsafeUninitializedCapacity: count) { buffer, filled in
            LargePages.prefer(buffer.baseAddress, byteCount: count &* MemoryLayout<Element>.stride)
            guard isLong, Processors.count > 1,
                let second = try? secondHalf(of: list, from: half, into: .init(rebasing: buffer[half...]), context)
            else {
                filled = fill(buffer, from: list.elements, &context)
                return
            }
            filled = fill(.init(rebasing: buffer[..<half]), from: list.elements, &context)
            let (others, findings) = second.result()
            // An element that was refused leaves a gap between the halves.
            if filled < half, let start = buffer.baseAddress {
                (start + filled).moveInitialize(from: start + half, count: others)
            }
            filled += others
            context.append(findings)
        }
    }

    private func secondHalf(
        of list: JSONValue, from half: Int, into buffer: UnsafeMutableBufferPointer<Element>, _ context: DecodingContext
    ) throws(SystemError) -> SecondHalf<Element> {
        var rest = list.moved(to: list.document.twin()).elements
        for _ in 0..<half { _ = rest.next() }
        return try SecondHalf(self, rest, into: buffer, context.options)
    }

    /// Decodes as many elements as there is room for.
    /// - Returns: how many of them are in the buffer now.
    fileprivate func fill(
        _ buffer: UnsafeMutableBufferPointer<Element>, from list: JSONElements, _ context: inout DecodingContext
    ) -> Int {
        var list = list
        var filled = 0
        for _ in buffer.indices {
            guard let value = list.next() else { break }
            guard let decoded = decodeElement(value, &context) else { continue }
            buffer.initializeElement(at: filled, to: decoded)
            filled += 1
        }
        return filled
    }
}

/// What another thread makes of a list's second half.
private struct SecondHalf<Element: Sendable> {
    private let outcome: Locked<(filled: Int, context: DecodingContext)>
    private let thread: WorkerThread

    /// - Parameter buffer: has room for the elements, and is nobody else's until `result` was asked for.
    init(
        _ list: LongList<Element>, _ elements: JSONElements, into buffer: UnsafeMutableBufferPointer<Element>,
        _ options: ManifestDecodingOptions
    ) throws(SystemError) {
        outcome = Locked((0, DecodingContext(options: options)))
        // Sendable in effect: only the thread writes to it, and whoever owns the memory waits for that.
        nonisolated(unsafe) let buffer = buffer
        thread = try list.startThread("larder-decode") { [outcome] in
            var context = DecodingContext(options: options)
            let filled = list.fill(buffer, from: elements, &context)
            outcome.withLock { $0 = (filled, context) }
        }
    }

    /// Waits for it.
    func result() -> (filled: Int, context: DecodingContext) {
        thread.join()
        return outcome.withLock { $0 }
    }
}
