/// When a download is fetched over several connections at once, each bringing a range of it (RFC 9110 §14).
///
/// It begins with one. Further ones are opened, as far as the numbers of transfers allow and no other download waits, once the reply has shown
/// that the server does ranges, how long the asset is and what tells its versions apart, and once the rate says that it will take a while. They
/// become more only as long as that makes the whole faster.
public struct SplitPolicy: Hashable, Sendable {
    /// The most connections that one download may have; 1: it is never split; nil, the default: as many as there may be transfers. What is over a
    /// lower one is closed at once, with its bytes kept.
    public var maximumConnections: Int?

    /// What must remain at the present rate, for it to be worth a further connection.
    var minimumRemaining: Duration = .seconds(3)
    /// What must remain in bytes.
    var minimumRemainingBytes: Int64 = 8 << 20
    /// No range is made smaller than this.
    var minimumPieceBytes: Int64 = 1 << 20
    /// How long a range should keep its connection busy: long beside the time that a request takes, and short enough for the digest to keep pace.
    var pieceTime: Duration = .seconds(5)
    /// How many times longer than a request takes to be answered a range should keep its connection busy at least.
    var pieceTimePerRequest = 4
    /// How long a rate is measured before it counts.
    var measuringTime: Duration = .milliseconds(100)
    /// How long it is measured before it counts against connections that were just opened.
    var fairTime: Duration = .seconds(1)
    /// How long connections that were just opened may keep others waiting for their first byte, before what there is in all counts.
    var trialTime: Duration = .seconds(10)
    /// How often it is looked whether some connection has become slow, once others are gone.
    var reviewTime: Duration = .seconds(1)

    /// How much of an asset's end comes first where somebody reads it first: far more than the directory of any archive of files that aren't tiny.
    func endBytes(of totalBytes: Int64) -> Int64 { max(minimumPieceBytes, min(totalBytes / 64, 8 << 20)) }

    /// The defaults.
    public init() {}

    /// Where nothing waits for the bytes in their order, longer ranges save requests.
    var withoutDigest: Self {
        var policy = self
        policy.pieceTime *= 2
        return policy
    }

    /// Where somebody works on the bytes in their order while they arrive, shorter ranges keep what can be worked on close to what is here. Each
    /// costs a request, so that they are no shorter than what makes that a tenth of their time.
    var readWhileArriving: Self {
        var policy = self
        policy.pieceTime = .seconds(2)
        policy.pieceTimePerRequest = 10
        return policy
    }
}
