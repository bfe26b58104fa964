import FaultServer
import Glibc
import Platform
import TestSupport
import Testing

/// What befalls a command, and what comes of it.
extension ComparisonStage {
    /// Some clients look before they ask in earnest: two replies are cut.
    func afterADroppedLine(_ command: String) async throws -> String {
        server.serve("/film.bin", oldResource())
        let film = oldResource()
        let cut = Step.make { interrupted(film.reply(to: $0), of: $0) { $0.cut(afterBytes: 2_500_000) } }
        server.script("/film.bin", [cut, cut])
        let isSuccess = try await run(command)
        let isWhole = bytes(of: "film.bin") == old.bytes()
        let isResumed = server.log.contains { !isWholeAskedFor(by: $0.request) }
        switch (isSuccess, isWhole) {
        case (true, true): return isResumed ? "goes on at the byte it had reached" : "begins anew"
        case (true, false): return "takes a part for the whole"
        case (false, _): return "fails"
        }
    }

    func afterAChange(_ command: String) async throws -> String {
        let film = oldResource()
        server.serve("/film.bin") { interrupted(film.reply(to: $0), of: $0) { $0.stalled(afterBytes: 2_500_000) } }
        let first = try start(command)
        try await waitUntil("all that was sent is with the client") { try hasArrived(2_500_000, of: "/film.bin") }
        first.kill(SIGTERM)
        try await first.waitForExit()
        server.serve("/film.bin", newResource())
        let isSuccess = try await run(command)
        guard let bytes = bytes(of: "film.bin"), isSuccess else { return "fails" }
        return bytes == new.bytes() ? "has the new file" : "joins a part of each, and reports success"
    }

    /// Whether so many bytes of a reply were sent that goes on, and nothing is on its way any more.
    private func hasArrived(_ count: UInt64, of path: String) throws -> Bool {
        let port = String(server.port, radix: 16, uppercase: true)
        let connections = String(decoding: try readFile("/proc/net/tcp"), as: UTF8.self).split(separator: "\n")
            .filter { $0.contains(":\(port) ") && $0.contains(" 01 ") }
        return server.exchanges(path).contains { $0.bodyBytesSent >= count && $0.end == nil }
            && connections.allSatisfy { $0.contains(" 00000000:00000000 ") }
    }

    func afterWrongBytes(_ command: String) async throws -> String {
        server.serve("/film.bin", newResource())
        let digest = "\(SHA256.digest(of: old.bytes()))"
        let isSuccess = try await run(command.replacing("DIGEST", with: digest))
        if isSuccess { return "reports success" }
        return bytes(of: "film.bin") == nil
            ? "fails, and there is no such file" : "fails, and leaves them under the file's name"
    }

    /// Two files of an old edition are there; the first one of the new edition has come, and the second one is on its way.
    func whileFilesAreReplaced(_ command: String) async throws -> String {
        let (names, old, new) = (["a.bin", "b.bin"], FileSet(edition: 1), FileSet(edition: 2))
        try serve(old, names)
        _ = try await run(command)
        guard names.allSatisfy({ reader($0) == old.content($0).bytes() }) else { return "has not even the old files" }
        try serve(new, names)
        server.serve("/set/b.bin") { new.resource("b.bin").reply(to: $0).stalled(afterBytes: 100_000) }
        let update = try start(command)
        try await waitUntil("a half of the second file is with the client") {
            try hasArrived(100_000, of: "/set/b.bin")
        }
        let seen = names.map(reader)
        update.kill(SIGKILL)
        try await update.waitForExit()
        if seen == names.map({ old.content($0).bytes() }) { return "reads the old files" }
        // Whether the half is on the disk already is chance.
        return seen[0] == new.content("a.bin").bytes() && seen[1] != new.content("b.bin").bytes()
            ? "reads a new file beside an old one, or a half of one" : "reads something else"
    }

    func whenNothingChanged(_ command: String) async throws -> String {
        let (names, set) = ((1...50).map { "\($0).bin" }, FileSet(edition: 1))
        try serve(set, names)
        _ = try await run(command)
        guard names.allSatisfy({ reader($0) == set.content($0).bytes() }) else { return "has not even got them" }
        let earlier = server.log.count
        guard try await run(command) else { return "fails" }
        let again = server.log.dropFirst(earlier)
        guard again.allSatisfy({ $0.bodyBytesSent < 100_000 }) else { return "fetches them again" }
        return again.count == 1 ? "1 request" : "\(again.count) requests"
    }

    /// What somebody reads who looks where the command puts its files.
    private func reader(_ name: String) -> [UInt8]? {
        bytes(of: "library/current/set/files/\(name)") ?? bytes(of: "mirror/\(name)")
    }

    /// As a manifest, as a list of URLs, and as a page that lists them.
    private func serve(_ set: FileSet, _ names: [String]) throws {
        for name in names { server.serve("/set/\(name)", set.resource(name)) }
        let bundle = #"{"id": "files", "kind": "files", "files": [\#(names.map(set.entry).joined(separator: ", "))]}"#
        let manifest = Stock.manifest([bundle], id: "set", serial: set.edition)
        server.serve("/set.json", Resource(.text(manifest), etag: "\"\(set.edition)\""))
        let page = names.map { "<a href=\"\($0)\">\($0)</a>" }.joined(separator: "\n")
        server.serve("/set/", Resource(.text("<html>\(page)</html>"), headers: ["Content-Type": "text/html"]))
        try folder.write(names.map { server.url("/set/\($0)\n") }.joined().utf8, to: "list.txt")
    }

    func leavingArchive(_ command: String) async throws -> String {
        let archive = storedZip(["good.txt": Array("good".utf8), "../evil.txt": Array("evil".utf8)])
        try folder.write(archive, to: "box/film.zip")
        try folder.makeDirectory("box/out")
        let isSuccess = try await run("cd box && \(command)")
        let end = isSuccess ? "reports success" : "fails"
        if bytes(of: "box/evil.txt") != nil { return "writes outside, and \(end)" }
        if bytes(of: "box/out/evil.txt") != nil { return "writes it inside, under another name, and \(end)" }
        return bytes(of: "box/out/good.txt") != nil ? "unpacks the rest, and \(end)" : "unpacks nothing, and \(end)"
    }

    func damagedArchive(_ command: String) async throws -> String {
        var archive = storedZip(["good.txt": Array("good".utf8), "film.txt": Array("damaged".utf8)])
        let place = try #require(archive.firstRange(of: Array("damaged".utf8)))
        archive[place.lowerBound] = UInt8(ascii: "D")
        try folder.write(archive, to: "box/film.zip")
        try folder.makeDirectory("box/out")
        let isSuccess = try await run("cd box && \(command)")
        let end = isSuccess ? "reports success" : "fails"
        if bytes(of: "box/out/film.txt") == Array("Damaged".utf8) { return "leaves the damaged file, and \(end)" }
        return bytes(of: "box/out/good.txt") != nil ? "leaves the good file, and \(end)" : "leaves nothing, and \(end)"
    }
}

/// An edition of files that belong together.
private struct FileSet {
    let edition: Int

    func content(_ name: String) -> Content {
        .pattern(lengthBytes: 200_000, seed: name.utf8.reduce(UInt64(edition)) { $0 &* 31 &+ UInt64($1) })
    }

    func resource(_ name: String) -> Resource {
        let day = edition == 1 ? "Thu, 01" : "Fri, 02"
        return Resource(content(name), etag: "\"\(edition)\"", lastModified: "\(day) Jan 2026 00:00:00 GMT")
    }

    func entry(_ name: String) -> String {
        #"{"path": "\#(name)", "urls": ["set/\#(name)"], "size": 200000, "sha256": "\#(content(name).sha256)"}"#
    }
}

private func isWholeAskedFor(by request: Request) -> Bool { request["Range"] ?? "bytes=0-" == "bytes=0-" }

/// A reply to which something happens, unless it goes on somewhere.
private func interrupted(_ reply: Reply, of request: Request, how: (Reply) -> Reply) -> Reply {
    isWholeAskedFor(by: request) ? how(reply) : reply
}
