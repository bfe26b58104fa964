import Platform
import Transfer

/// Every decision of one try about its connections, as a value: what happens goes in, what is to be done comes out.
struct SegmentBoard {
    let url: TransferURL
    var plan: SegmentPlan
    let policy: SplitPolicy
    var pace: SplitPace
    var connections: [ConnectionID: Connection] = [:]
    /// Whether the last reply allows ranges to be fetched beside each other.
    var maySplit = false
    private var wanted = 0
    private var wantNumber: UInt64 = 0
    /// Whether the first reply was accepted: what is held may be gone on with, or is all there is.
    var hasBegun = false
    var isOver = false
    /// Whether nothing more is to be fetched: nobody wants it, or its session has ended.
    var isStopping = false
    /// What no other connection can make up for.
    var fatalFailure: AttemptFailure?
    /// Why the first connection has none to show for it, and whether others have brought bytes since.
    var firstFailure: (cause: AttemptFailure, isStale: Bool)?
    /// Those whose work another one did, to be told with the next steps.
    var overtaken: [ConnectionID] = []
    var isReviewDue = false
    /// What was held when the transfer began, in bytes.
    private(set) var resumedBytes: Int64 = 0
    /// Whether ranges came over more than one connection. The asset's end is none of them, which is asked for by the way.
    private(set) var isSplit = false
    /// What those brought that were opened for the asset's end.
    private var endBytes: Int64 = 0
    /// Whether ranges were put together: then the bytes may be wrong although each source has the right ones, as a whole.
    var isPutTogether: Bool { isSplit || resumedBytes > 0 || endBytes > 0 }
    /// Whether all of them are what this try brought from its own source, and nothing but the end came ahead of its turn.
    var isOfOneSource: Bool { !isSplit && resumedBytes == 0 }
    /// Whether the end of the bytes was taken for the end of the asset, whose length nobody had told.
    var hasGuessedLength = false
    /// Whether the server told how long the asset is; else only the callers did, if anybody.
    private(set) var isToldLength = true

    struct Connection {
        let url: TransferURL
        /// Where its present request ends.
        var requestEnd: Int64
        /// When its present request was sent, and when the first of its bytes were written.
        var askedAt = ContinuousClock.now
        var begun: ContinuousClock.Instant?
        /// What its present request has brought.
        var requestBytes: Int64 = 0
        var hasBytes: Bool { begun != nil }
        /// Whether it has brought bytes since it was opened.
        var hasHelped = false
        mutating func noteFirstBytes(at now: ContinuousClock.Instant) {
            begun = now
            hasHelped = true
        }

        /// How many seconds it would take, at the pace of its present request; nil while that has brought nothing.
        func time(for bytes: Int64, _ now: ContinuousClock.Instant) -> Double? {
            begun.map { (now - $0).inSeconds * Double(bytes) / Double(max(1, requestBytes)) }
        }

        /// Whether it was told to give up its present request, having all it was to bring.
        var isCut = false
        /// Whether it is to bring nothing more.
        var isLeaving = false
        /// Whether it was opened for the asset's end alone, and is gone in a moment.
        var isForEnd = false
    }

    /// What is to be done, in this order.
    enum Step {
        case ask(ConnectionID, TransferURL, Range<Int64>)
        /// The connection's request is of no more use.
        case cut(ConnectionID)
        /// So many further connections would be of use. Numbered, since several threads tell of it, and the last one counts.
        case want(Int, number: UInt64)
        /// One to the source itself would be of use for a moment, for the asset's end.
        case wantEnd
        /// `review` is to be called after a while.
        case review(after: Duration)
        /// A further connection is gone, be it for a failure or for want of work.
        case left(ConnectionID, AttemptFailure?)
        /// Nothing is under way any more.
        case end

        /// Whether bytes may come ahead of a gap from now on.
        var wantsMore: Bool {
            switch self {
            case .want(1..., _), .wantEnd: true
            default: false
            }
        }
    }

    /// - Parameter url: the source that the first connection asks.
    init(_ url: TransferURL, held: ByteRangeSet, totalBytes: Int64?, policy: SplitPolicy) {
        self.url = url
        plan = SegmentPlan(held: held, totalBytes: totalBytes, minimumBytes: policy.minimumPieceBytes)
        self.policy = policy
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
    /// - Parameter isToldLength: whether the server told its length.
    mutating func startAnew(totalBytes: Int64?, isToldLength: Bool = true, maySplit: Bool) {
        self.isToldLength = isToldLength
        plan = SegmentPlan(held: ByteRangeSet(), totalBytes: totalBytes, minimumBytes: plan.minimumBytes)
        begin(maySplit)
    }

    private mutating func begin(_ maySplit: Bool) {
        hasBegun = true
        // Where less is missing, no pace would be worth another connection.
        self.maySplit = maySplit && plan.totalBytes != nil && plan.missingBytes >= policy.minimumRemainingBytes
        connections[.first]?.requestEnd = plan.takeFirstGap(for: .first).upperBound
    }

    // MARK: Connections

    /// Whom a connection asks.
    func source(of id: ConnectionID) -> TransferURL { connections[id]?.url ?? url }

    /// A further connection may be opened to a source.
    /// - Parameter isForEnd: whether it was opened for the asset's end alone.
    mutating func open(
        _ id: ConnectionID, to url: TransferURL, isForEnd: Bool = false, now: ContinuousClock.Instant = .now
    ) -> [Step] {
        guard !isOver else { return [] }
        connections[id] = Connection(url: url, requestEnd: 0, isForEnd: isForEnd)
        if isEnding { return leave(id) }
        guard isForEnd else { return goOn(id, among: pace.connections, now: now) }
        // What is read there must be of the very version that the rest is of.
        guard url == self.url, let wantedBytes = wantedEndBytes,
            let end = plan.takeEnd(for: id, countBytes: wantedBytes)
        else { return leave(id) }
        return [ask(id, url, end, now)]
    }

    /// Somebody reads the asset's end before anything else. Where ranges can be fetched beside each other, it comes ahead of its turn; elsewhere,
    /// where the asset is small, and where the end is here or under way, it comes when it comes.
    func wantEnd() -> [Step] {
        guard maySplit, !isEnding, let wantedBytes = wantedEndBytes, plan.lacksEnd(countBytes: wantedBytes) else {
            return []
        }
        return [.wantEnd]
    }

    private var wantedEndBytes: Int64? { plan.totalBytes.map(policy.endBytes) }

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

    var isEnding: Bool { isStopping || fatalFailure != nil }

    mutating func cutAll() -> [Step] {
        connections.keys.sorted { $0.number < $1.number }.map { .cut($0) }
    }

    /// Gives a connection without work its next piece, or lets it go.
    /// - Parameter expected: how many there will be in a moment: those that are opened together get equal pieces.
    mutating func goOn(_ id: ConnectionID, among expected: Int = 0, now: ContinuousClock.Instant) -> [Step] {
        guard let url = connections[id]?.url else { return [] }
        if plan.isComplete, connections.count == 1 { return leave(id) }
        // Nothing is gained by pieces where there is only one.
        let count = max(expected, connections.values.count { !$0.isLeaving && !$0.isForEnd })
        let piece = count > 1 ? min(pace.pieceBytes, plan.missingBytes / Int64(count)) : .max
        var steps: [Step] = []
        var range = plan.take(for: id, pieceBytes: piece)
        if range == nil, let slow = tooSlow(now) {
            range = plan.takeOver(from: slow, for: id)
            connections[slow]?.isCut = true
            steps.append(.cut(slow))
        }
        guard let range else { return leave(id) + reviewLater() }
        return steps + [ask(id, url, range, now)]
    }

    private mutating func ask(
        _ id: ConnectionID, _ url: TransferURL, _ range: Range<Int64>, _ now: ContinuousClock.Instant
    ) -> Step {
        connections[id]?.requestEnd = range.upperBound
        connections[id]?.isCut = false
        connections[id]?.requestBytes = 0
        connections[id]?.begun = nil
        connections[id]?.askedAt = now
        isSplit = isSplit || id != .first && connections[id]?.isForEnd == false
        return .ask(id, url, range)
    }

    mutating func leave(_ id: ConnectionID, _ failure: AttemptFailure? = nil) -> [Step] {
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
    mutating func wants(mayRise: Bool = false, now: ContinuousClock.Instant = .now) -> [Step] {
        let further = connections.filter { $0.key != .first && !$0.value.isLeaving && !$0.value.isForEnd }.keys
            .sorted { $0.number < $1.number }
        var next = maySplit && !isEnding ? pace.connections - 1 : 0
        if !plan.hasWork { next = min(next, further.count + (tooSlow(now) == nil ? 0 : 1)) }
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
        let (now, others, reviewTime) = (ContinuousClock.now, connections, policy.reviewTime)
        overtaken += plan.extend(
            id, by: Int64(countBytes), upTo: connection.requestEnd,
            isSlower: { id, itsBytes, bytes in
                guard let other = others[id], now - other.askedAt >= reviewTime,
                    let its = other.time(for: itsBytes, now), let own = connection.time(for: bytes, now)
                else { return false }
                return its > 2 * own
            })
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
        let heldBytes = plan.held.countBytes
        plan.commit(id)
        if connections[id]?.isForEnd == true { endBytes += plan.held.countBytes - heldBytes }
        noteBytes(of: id, now)
        var steps = cutOvertaken()
        if let connection = connections[id], !connection.isCut, let segment = plan.segment(of: id),
            segment.position == segment.end, connection.requestEnd > segment.end
        {
            connections[id]?.isCut = true
            steps.append(.cut(id))
        }
        guard maySplit else { return steps }
        // Whoever brings the end counts as well: if it takes of the others' rate, they would seem slower than they are.
        pace.note(
            receivedBytes: plan.held.countBytes - resumedBytes, remainingBytes: plan.missingBytes,
            active: connections.values.count { $0.hasBytes }, opened: connections.count, now: now)
        plan.requestCostBytes = pace.requestCostBytes
        return steps + wants(mayRise: true, now: now)
    }

    private mutating func noteBytes(of id: ConnectionID, _ now: ContinuousClock.Instant) {
        guard let connection = connections[id], connection.requestBytes > 0 else { return }
        if id != .first { firstFailure?.isStale = true }
        guard !connection.hasBytes else { return }
        connections[id]?.noteFirstBytes(at: now)
        // What the first reply took says nothing of a range: it was sent before anything was known.
        if isSplit { pace.noteFirstByte(after: now - connection.askedAt) }
    }

    /// Whoever has lost its work to another one gets other work; one that never brought anything goes.
    private mutating func cutOvertaken() -> [Step] {
        defer { overtaken = [] }
        return overtaken.flatMap { id -> [Step] in
            guard let connection = connections[id], !connection.isCut, !connection.isLeaving else { return [] }
            guard connection.hasHelped || id == .first else {
                if !connection.isForEnd { pace.giveUpOne() }
                return close(id)
            }
            connections[id]?.isCut = true
            return [.cut(id)]
        }
    }
}
