import Diagnostics
import Platform

/// Reads a plain list: a URL a line, lines that begin with `#` are remarks.
enum URLListReader {
    static func read(_ input: ListInput, _ intake: FileIntake) throws(ImportProblem) {
        while let line = try input.nextLine() {
            let url = line.trimmed
            guard !url.isEmpty, !url.utf8.starts(with: "#".utf8) else { continue }
            guard !Aria2Option.isOption(line.utf8) else {
                throw .invalid(
                    "\(input.place(input.lineNumber)): this is an option of aria2, and no URL; --format aria2 takes it")
            }
            if let why = SourceURL.whiteSpace(in: url) {
                intake.refuse(line: input.lineNumber, why)
                continue
            }
            var file = ListedFile(line: input.lineNumber)
            file.urls = [url]
            try intake.take(file)
        }
    }
}
