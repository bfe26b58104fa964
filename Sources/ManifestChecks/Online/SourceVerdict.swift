import BundleManifest
import Diagnostics
import Jobs
import Platform
import Transfer

/// What is wrong with one source of a download, judged by what it said.
struct SourceVerdict {
    /// Something that is wrong, still without its place.
    struct Problem {
        let rule: ContentRule
        let message: String
        var hint: String?
    }

    let source: ProbedSource
    let file: SourceFile
    /// What the file is going to be called.
    let name: String
    /// Whether an archive will show by itself that nothing is missing at its end.
    let isUnpacked: Bool

    func problems(_ answer: SourceAnswer) -> [Problem] {
        switch answer {
        case .notAsked(.unresponsive):
            [problem(.notAsked, "not asked, since the server left others unanswered")]
        case .notAsked(.stopped):
            [
                problem(
                    .notAsked, "not asked to the end: the time was over, or the run was stopped",
                    hint: "if it was the time, --deadline gives more")
            ]
        case .failure(let error): [problem(of: error)]
        case .reply(let reply, let head): problems(reply, head)
        }
    }

    private func problem(_ rule: ContentRule, _ message: String, hint: String? = nil) -> Problem {
        Problem(rule: rule, message: "\(source.url): \(message)", hint: hint)
    }

    private func problem(of error: TransferError) -> Problem {
        let rule: ContentRule =
            switch error {
            case .insecure: .insecure
            case .timedOut: .timedOut
            case .invalidResponse: .invalidReply
            case .redirectRefused: .redirectRefused
            case .unusableRequest: .unusableURL
            default: .unreachable
            }
        return problem(rule, error.description)
    }

    private func problems(_ reply: SourceReply, _ head: SourceReply?) -> [Problem] {
        guard reply.isUsable else { return [problem(ofStatus: reply)] }
        guard isWanted(reply) else {
            return [
                problem(
                    .htmlPage, "an HTML page comes instead of '\(escapedText(name))'",
                    hint: "the network may want a login, or the URL may be wrong")
            ]
        }
        let found = [size(reply), part(reply), consistency(reply, head), identity(reply, head)]
        return found.compactMap(\.self)
    }

    /// Whether it brings something, and no page for people instead.
    private func isWanted(_ reply: SourceReply) -> Bool {
        reply.isUsable && !(reply.isHTMLPage && !HTMLPage.isDue(for: name))
    }

    private func problem(ofStatus reply: SourceReply) -> Problem {
        let hint: String? =
            switch reply.status {
            case 401: "put the login into a netrc file, and name that in --config"
            case 404, 410: "look for a wrong letter; upper and lower case count"
            default: nil
            }
        return problem(
            reply.asksToComeBack ? .busy : .badStatus, "the server answers with status \(reply.status)", hint: hint)
    }

    private func size(_ reply: SourceReply) -> Problem? {
        if let coding = reply.contentCoding {
            return problem(
                .contentCoding, "the reply is compressed (\(coding.quotedForMessage())), which wasn't asked for")
        }
        if let size = reply.wholeBytes {
            guard let expected = file.sizeBytes, size != expected else { return nil }
            return problem(.otherSizeThere, "the server has \(size) bytes where the manifest says \(expected)")
        }
        guard reply.endsWithConnection, file.sizeBytes == nil, file.digest == nil, !isUnpacked else { return nil }
        return problem(
            .noLength, "neither the server nor the manifest says how long the file is",
            hint: "add \"size\" and \"sha256\"")
    }

    private func part(_ reply: SourceReply) -> Problem? {
        if let fault = reply.partFault {
            return problem(.badRange, "asked for the first byte, the server \(fault)")
        }
        guard reply.status != 206, reply.wholeBytes != 0, reply.contentCoding == nil else { return nil }
        return problem(
            .noRanges, "asked for one byte, the server sends everything",
            hint: "let it honour Range requests, so that interrupted downloads can go on")
    }

    /// Two answers of one server within a moment.
    private func consistency(_ reply: SourceReply, _ head: SourceReply?) -> Problem? {
        guard let head, head.contentCoding == reply.contentCoding else { return nil }
        func difference(_ what: String, _ first: String?, _ second: String?) -> String? {
            guard let first, let second, first != second else { return nil }
            return
                "\(what) as \(escapedText(String(first.prefix(80)))) and then \(escapedText(String(second.prefix(80))))"
        }
        let differences = [
            difference("the size", head.wholeBytes.map(String.init), reply.wholeBytes.map(String.init)),
            difference("the entity tag", head.entityTag, reply.entityTag),
            difference("the date", head.lastModified, reply.lastModified),
        ].compactMap(\.self)
        guard !differences.isEmpty else { return nil }
        return problem(
            .answersDiffer,
            "asked for the head and then for a byte, the server gives \(differences.joined(separator: ", "))")
    }

    private func identity(_ reply: SourceReply, _ head: SourceReply?) -> Problem? {
        // A refusal of the range (416) needs no validators.
        guard file.digest == nil, !reply.hasStrongValidator, head?.hasStrongValidator != true else { return nil }
        return problem(
            .noValidator, "the manifest has no digest, and the server says nothing that tells versions apart",
            hint: "add \"sha256\"")
    }

    /// What is said of a usable reply from elsewhere, unless the manifest has other sources there.
    func redirect(_ answer: SourceAnswer) -> (target: TransferURL, problem: Problem)? {
        guard case .reply(let reply, _) = answer, isWanted(reply), let target = reply.redirectTarget,
            target.origin != source.url.origin
        else { return nil }
        let headers = source.headers.fields.isEmpty ? "" : "; the bundle's headers aren't sent there"
        return (target, problem(.redirectElsewhere, "the server redirects to \(target)\(headers)"))
    }
}
