import Platform
import Transfer

/// Every decision of one try about its connections, as a value: what happens goes in, what is to be done comes out.
struct SegmentBoard {
    private let url: TransferURL
    private(set) var plan: SegmentPlan
    private var pace: SplitPace
    private var connections: [ConnectionID: Connection] = [:]
    /// Whether the last reply allows ranges to be fetched beside each other.
    private var maySplit = false
    private var wanted = 0
    private var wantNumber: UInt64 = 0
    /// Whether the first reply was accepted: what is held may be gone on with, or is all there is.
    private var hasBegun = false
    private var isOver = false
    /// Whether nothing more is to be fetched: nobody wants it, or its session has ended.
    private(set) var isStopping = false
    /// What no other connection can make up for.
    private var fatalFailure: AttemptFailure?
    /// Why the first connection has none to show for it.
    private var firstFailure: AttemptFailure?
    /// What was held when the transfer began, in bytes.
    private(set) var resumedBytes: Int64 = 0
    /// Whether ranges came over more than one connection.
    private(set) var isSplit = false
    /// Whether the end of the bytes was taken for the end of the asset, whose length nobody had told.
    private(set) var hasGuessedLength = false

    private struct Connection {
        let url: TransferURL
        /// Where its present request ends.
        var requestEnd: Int64
        /// Whether it has brought bytes since it was opened.
        var hasBytes = false
        /// What its present request has brought.
        var requestBytes: Int64 = 0
        /// Whether it was told to give up its present request, having all it was to bring.
        var isCut = false
        /// Whether it is to bring nothing more.
        var isLeaving = false
    }

    /// What is to be done, in this order.
    enum Step {
        case ask(ConnectionID, TransferURL, Range<Int64>)
        /// The connection's request is of no more use.
        case cut(ConnectionID)
        /// So many further connections would be of use. Numbered, since several threads tell of it, and the last one counts.
        case want(Int, number: UInt64)
        /// A further connection is gone, be it for a failure or for want of work.
        case left(ConnectionID, AttemptFailure?)
        /// Nothing is under way any more.
        case end

        /// Whether bytes may come ahead of a gap from now on.
        var wantsMore: Bool { if case .want(1..., _) = self { true } else { false } }
    }

    /// - Parameter url: the source that the first connection asks.
    init(_ url: TransferURL, held: ByteRangeSet, totalBytes: Int64?, policy: SplitPolicy) {
        self.url = url
        plan = SegmentPlan(held: held, totalBytes: totalBytes, minimumBytes: policy.minimumPieceBytes)
        pace = SplitPace(policy)
    }

    // MARK: Begin

    /// The first request goes out. What its reply is for only its head tells.
    mutating func open() { connections[.first] = Connection(url: url, requestEnd: .max) }

    /// The first reply goes on behind what is held.
    mutating func goOn(totalBytes: Int64?, maySplit: Bool) {
        resumedBytes = plan.held.countBytes
        if let totalBytes { plan.setTotal(totalBytes) }
        begin(maySplit)
    }

    /// The first reply brings the whole; nothing that was held counts any more.
    mutating func startAnew(totalBytes: Int64?, maySplit: Bool) {
        plan = SegmentPlan(held: ByteRangeSet(), totalBytes: totalBytes, minimumBytes: plan.minimumBytes)
        begin(maySplit)
    }

    private mutating func begin(_ maySplit: Bool) {
        hasBegun = true
        self.maySplit = maySplit && plan.totalBytes != nil
        connections[.first]?.requestEnd = plan.takeFirstGap(for: .first).upperBound
    }

    // MARK: Connections

    /// A further connection may be opened to a source.
    mutating func open(_ id: ConnectionID, to url: TransferURL) -> [Step] {
        guard !isOver else { return [] }
        connections[id] = Connection(url: url, requestEnd: 0)
        return isEnding ? leave(id) : goOn(id)
    }

    /// A further connection is to be given up; what it has brought is kept.
    mutating func close(_ id: ConnectionID) -> [Step] {
        guard id != .first, connections[id]?.isLeaving == false else { return [] }
        connections[id]?.isLeaving = true
        return [.cut(id)]
    }

    /// Nobody wants the asset any more.
    mutating func stop() -> [Step] {
        isStopping = true
        return cutAll()
    }

    private var isEnding: Bool { isStopping || fatalFailure != nil }

    private mutating func cutAll() -> [Step] {
        connections.keys.sorted { $0.number < $1.number }.map { .cut($0) }
    }

    /// Gives a connection without work its next piece, or lets it go.
    private mutating func goOn(_ id: ConnectionID) -> [Step] {
        guard let url = connections[id]?.url else { return [] }
        let share = plan.missingBytes / Int64(max(1, connections.count))
        guard let range = plan.take(for: id, pieceBytes: min(pace.pieceBytes, share)) else { return leave(id) }
        connections[id]?.requestEnd = range.upperBound
        connections[id]?.isCut = false
        connections[id]?.requestBytes = 0
        isSplit = isSplit || id != .first
        return [.ask(id, url, range)]
    }

    private mutating func leave(_ id: ConnectionID, _ failure: AttemptFailure? = nil) -> [Step] {
        connections[id] = nil
        return wants() + (id == .first ? [] : [.left(id, failure)]) + theEnd()
    }

    private mutating func theEnd() -> [Step] {
        guard connections.isEmpty, !isOver else { return [] }
        isOver = true
        return [.end]
    }

    /// How many further connections would be of use, where that has changed; and those that are too many go.
    /// - Parameter mayRise: only with bytes that were just written, so that the record is ready before the first of them.
    private mutating func wants(mayRise: Bool = false) -> [Step] {
        let further = connections.keys.filter { $0 != .first }.sorted { $0.number < $1.number }
        var next = maySplit && !isEnding ? pace.connections - 1 : 0
        if !plan.hasWork { next = min(next, further.count) }
        if !mayRise { next = min(next, wanted) }
        let surplus = further.dropFirst(max(next, 0)).flatMap { close($0) }
        guard next != wanted else { return surplus }
        wanted = next
        wantNumber += 1
        return surplus + [.want(next, number: wantNumber)]
    }

    // MARK: Bytes

    /// A connection has brought bytes. What of them is to be written, and where?
    mutating func reserve(_ id: ConnectionID, countBytes: Int) -> SegmentPlan.Share {
        guard let connection = connections[id], !connection.isLeaving, !connection.isCut else {
            return SegmentPlan.Share(position: 0, countBytes: 0, isPastTheEnd: false)
        }
        // What others had no use for, a request that brings it anyway needn't be cut before. Once bytes were left out, it must be.
        plan.extend(id, by: Int64(countBytes), upTo: connection.requestEnd)
        let share = plan.reserve(id, countBytes: Int64(countBytes))
        connections[id]?.requestBytes += share.countBytes
        return share
    }

    /// A connection has brought bytes of which none was asked for: its source doesn't know where a range ends, and would go on to the asset's.
    mutating func overflowed(_ id: ConnectionID) -> [Step] {
        guard let connection = connections[id], !connection.isLeaving, !connection.isCut else { return [] }
        connections[id]?.isCut = true
        return [.cut(id)]
    }

    /// They are written.
    mutating func commit(_ id: ConnectionID, now: ContinuousClock.Instant = .now) -> [Step] {
        plan.commit(id)
        connections[id]?.hasBytes = true
        var steps: [Step] = []
        if let connection = connections[id], !connection.isCut, let segment = plan.segment(of: id),
            segment.position == segment.end, connection.requestEnd > segment.end
        {
            connections[id]?.isCut = true
            steps.append(.cut(id))
        }
        guard maySplit else { return steps }
        let active = connections.values.count { $0.hasBytes }
        pace.note(
            receivedBytes: plan.held.countBytes - resumedBytes, remainingBytes: plan.missingBytes, active: active,
            isStarting: active < connections.count, now: now)
        return steps + wants(mayRise: true)
    }

    // MARK: End of a request

    /// A request that brought less before it was lost isn't sent again at once.
    private static let worthwhileBytes: Int64 = 64 << 10

    /// How a request ended.
    enum RequestEnd {
        case complete
        case cancelled
        /// `isFatal`: whatever the others bring, it can't be helped.
        case failed(AttemptFailure, isFatal: Bool)
    }

    /// A connection's request is over, and nothing more comes of it.
    mutating func ended(_ id: ConnectionID, _ end: RequestEnd) -> [Step] {
        guard let connection = connections[id] else { return [] }
        let segment = plan.segment(of: id)
        plan.release(id)
        var failure: AttemptFailure?
        switch end {
        case .cancelled where connection.isCut || connection.isLeaving: break
        case .cancelled: isStopping = true
        case .failed(_, isFatal: false) where connection.isCut: break
        case .failed(let cause, let isFatal):
            failure = cause
            if isFatal { fatalFailure = fatalFailure ?? cause }
        case .complete: failure = shortfall(segment)
        }
        // Beside others a connection that brought a good deal is not given up for being lost: there is more where that came from.
        if failure?.remedy == .retry, connection.requestBytes >= min(Self.worthwhileBytes, plan.minimumBytes / 2),
            connections.count > 1
        {
            failure = nil
        }
        return followUp(id, connection.isLeaving, failure)
    }

    private mutating func followUp(_ id: ConnectionID, _ isLeaving: Bool, _ failure: AttemptFailure?) -> [Step] {
        if isEnding { return leave(id, failure) + cutAll() }
        if id == .first { firstFailure = failure }
        let steps = failure == nil && !isLeaving ? goOn(id) : leave(id, failure)
        return steps + wakeFirst()
    }

    /// What came back to be fetched by somebody is the first connection's, if it has nothing to do.
    private mutating func wakeFirst() -> [Step] {
        guard !isOver, connections[.first] == nil, firstFailure == nil, plan.hasFreeWork else { return [] }
        connections[.first] = Connection(url: url, requestEnd: 0)
        return goOn(.first)
    }

    /// What is missing where a reply ended as if it were complete.
    private mutating func shortfall(_ segment: (position: Int64, end: Int64)?) -> AttemptFailure? {
        guard let segment, segment.position < segment.end else { return nil }
        guard let total = plan.totalBytes else {
            plan.setTotal(segment.position)
            hasGuessedLength = true
            return nil
        }
        return AttemptFailure(
            .transportFailure, "the connection was closed after \(segment.position) of \(total) bytes", .retry)
    }

    // MARK: The whole

    /// How the try has ended, once nothing is under way.
    enum Outcome {
        /// Every byte is here, as far as the wire can tell.
        case completed
        case failed(AttemptFailure)
        case stopped
    }

    var outcome: Outcome {
        if let fatalFailure { return .failed(fatalFailure) }
        if hasBegun, plan.isComplete { return .completed }
        if let firstFailure, !isStopping { return .failed(firstFailure) }
        return .stopped
    }
}
