/// What is wrong with lists, and what is left out of them: of thousands of a kind one is told, and how many there are.
struct ImportFindings {
    /// What isn't taken over, or not as it stands, in the order it is told.
    enum Remark: Int, CaseIterable {
        case unusableURL, peers, password, headers, options, folder, pieces, signature, digest, partial
        case renamed, sameWhereCaseDoesNotCount, weakDigest, noDigest
    }

    private var refusals = ToldLines()
    private var remarks: [Remark: (first: String, count: Int)] = [:]

    /// A file can't be in a manifest.
    mutating func refuse(_ place: String, _ why: String) {
        refusals.add("\(place): \(why)")
    }

    var hasRefusals: Bool { refusals.count > 0 }

    mutating func note(_ remark: Remark, _ place: String, _ what: @autoclosure () -> String) {
        if let known = remarks[remark] {
            remarks[remark] = (known.first, known.count + 1)
        } else {
            remarks[remark] = ("\(place): \(what())", 1)
        }
    }

    func checkRefusals() throws(ImportProblem) {
        if hasRefusals { throw .refused(refusals.lines, count: refusals.count) }
    }

    /// A line for each kind of remark.
    var lines: [String] {
        Remark.allCases.compactMap { remark in
            remarks[remark].map { $0.count == 1 ? $0.first : "\($0.first) (the first of \($0.count) like it)" }
        }
    }
}
