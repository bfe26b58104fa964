/// How a script has one request answered.
package enum Step: Sendable {
    /// As the path is served anyway.
    case own
    /// So, but with a change to the reply.
    case altered(@Sendable (Reply) -> Reply)
    /// With this reply.
    case reply(Reply)
    /// With a reply made for the request.
    case make(@Sendable (Request) -> Reply)
    /// From another resource, this once.
    case resource(Resource)
    /// From another resource, from this request on: the content has changed.
    case become(Resource)
}

/// What a path answers: the script's steps, one a request, and then its own replies.
struct Route: Sendable {
    var own: @Sendable (Request) -> Reply = { _ in .errorPage(404) }
    var script: ArraySlice<Step> = []
    var requests = 0

    /// The reply to the next request, still to be made: a test's closures don't belong under a lock.
    mutating func nextReply() -> (number: Int, make: @Sendable (Request) -> Reply) {
        requests += 1
        let own = own
        switch script.popFirst() ?? .own {
        case .own: return (requests, own)
        case .altered(let change): return (requests, { change(own($0)) })
        case .reply(let reply): return (requests, { _ in reply })
        case .make(let make): return (requests, make)
        case .resource(let resource): return (requests, resource.reply)
        case .become(let resource):
            self.own = resource.reply
            return (requests, resource.reply)
        }
    }
}
