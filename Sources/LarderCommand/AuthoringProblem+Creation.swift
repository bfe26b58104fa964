import Glibc
import ManifestAuthoring
import Platform

extension AuthoringProblem {
    init(_ problem: CreationProblem) {
        switch problem {
        case .refusedNames(let lines, let count):
            let rest = count > lines.count ? ["and \(count - lines.count) more"] : []
            self.init(
                .failure,
                lines: lines + rest + [
                    "nothing is written: rename \(count == 1 ? "it" : "them"), or leave \(count == 1 ? "it" : "them") out with --exclude"
                ])
        case .nothingFound: self.init(.failure, "there is no file to make a manifest of")
        case .overlapping(let outer, let inner):
            self.init(.usage, "\(inner) is named twice: it is, or lies in, \(outer)")
        case .changed(let name):
            self.init(
                .failure,
                "\(name) changed while it was read: nothing is written; run again when nobody writes there, or leave out with --exclude what changes"
            )
        case .tooLarge(let limitBytes):
            self.init(
                .failure,
                "the manifest would have more than \(limitBytes >> 20) MiB, and sync reads no more: make several, each of some of the folders"
            )
        case .brokenPresentation(let line):
            self.init(
                .failure,
                "\(line): nobody can tell which files are its own, and nothing is written; mend it, or leave its folder out with --exclude"
            )
        case .nothingMatches(let count):
            self.init(
                .failure,
                "none of the \(count) files that the manifest names is among these: nothing is written; say with --base where they are served, and see that they are there"
            )
        case .lastSerial:
            self.init(
                .failure,
                "the serial is the highest that there is, and nothing is written: give the manifest another id")
        case .unknownJoinedDigest(let bundle):
            self.init(
                .failure,
                "\"\(bundle)\": its segments changed, and not all are here, so nobody can tell the new joinSHA256: nothing is written; take it out of the manifest"
            )
        case .invalid(let lines):
            self.init(.failure, lines: lines + ["so the manifest would not be valid, and nothing is written"])
        case .unreadable(let line): self.init(.unreadable, line)
        case .system(let error) where error.code == EACCES:
            self.init(.unreadable, "\(error): leave it out with --exclude, or run as somebody who may read it")
        case .system(let error): self.init(error.isNoSpace ? .noSpace : .unreadable, "\(error)")
        case .scratch(let error): self.init(scratch: error)
        case .stopped: self.init(.failure, "stopped")
        }
    }

    /// What can't be done where temporary files are.
    init(scratch error: SystemError) {
        self.init(
            error.isNoSpace ? .noSpace : .failure,
            "\(error): a manifest is put together in \(TemporaryFolder.shownPlace); set TMPDIR to a place that takes it"
        )
    }
}
