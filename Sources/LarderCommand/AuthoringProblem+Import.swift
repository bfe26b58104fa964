import ManifestAuthoring
import Platform

extension AuthoringProblem {
    init(_ problem: ImportProblem) {
        func told(_ lines: [String], _ count: Int, _ end: String) -> [String] {
            let rest = count > lines.count ? ["and \(count - lines.count) more"] : []
            return lines + rest + ["nothing is written: \(end)"]
        }
        switch problem {
        case .invalid(let line): self.init(.invalidManifest, line)
        case .refused(let lines, let count):
            self.init(.invalidManifest, lines: told(lines, count, "correct the list, or take that out of it"))
        case .unhashed(let lines, let count):
            self.init(
                .failure, lines: told(lines, count, "take that out of the list, or import it without --hash"))
        case .tooLarge(let limitBytes):
            self.init(
                .failure,
                "the manifest would have more than \(limitBytes >> 20) MiB, and sync reads no more: split the list, and make several"
            )
        case .system(let error): self.init(error.isNoSpace ? .noSpace : .unreadable, "\(error)")
        case .scratch(let error): self.init(scratch: error)
        case .stopped: self.init(.failure, "stopped")
        }
    }
}
