import ContentLibrary
import Jobs
import Platform

/// What `larder explain` says, in sentences: what is asked for, what is here, what was tried, and what is next.
struct ExplanationText {
    let text: String

    init(_ explanation: BundleExplanation) {
        let parts = [
            Self.here(explanation), Self.wanted(explanation), Self.tried(explanation), Self.next(explanation),
        ]
        text =
            (["\(explanation.address)"] + parts.filter { !$0.isEmpty }.map { "  " + $0.joined(separator: "\n  ") })
            .joined(separator: "\n") + "\n"
    }

    // MARK: What is here

    private static func here(_ explanation: BundleExplanation) -> [String] {
        guard let current = explanation.library.current else {
            return [
                explanation.currentProblem.map { "Nobody can tell what readers find: \($0)." }
                    ?? "Nothing has been published in this library yet."
            ]
        }
        guard let content = explanation.status?.content else {
            let isDamaged = explanation.status?.state == .damaged
            return [
                isDamaged
                    ? "Generation \(current.value) names content of it that isn't there, or has no receipt to be believed by."
                    : "Readers find nothing of it: generation \(current.value) doesn't have it."
            ]
        }
        let header = content.header
        let files = HumanQuantity.count(header.entryCount, "file", "files")
        let source = content.firstURL.map { ", fetched from \(shownURL($0))" } ?? ""
        return [
            "Readers find version \(escapedText(header.origin.version)) of it: \(files), \(HumanQuantity.bytes(header.contentBytes))\(source).",
            "That is \(header.origin.address), here since \(header.origin.created.rfc3339).",
        ]
    }

    // MARK: What is asked for

    private static func wanted(_ explanation: BundleExplanation) -> [String] {
        let manifest = explanation.address.manifest
        guard let wanted = explanation.wanted else {
            if explanation.currentProblem != nil { return [] }
            return explanation.manifest?.serial == nil
                ? ["Nothing of the manifest '\(manifest)' is published, so what it asks for isn't known here."]
                : [
                    "The published manifest '\(manifest)' doesn't list it: it leaves with the next generation, or was never part of one."
                ]
        }
        let serial = explanation.manifest?.serial.map { " (serial \($0))" } ?? ""
        let version = wanted.version.map { " in version \(escapedText($0))" } ?? ""
        let size = wanted.bytes > 0 ? " of \(HumanQuantity.bytes(wanted.bytes))" : ""
        let files = HumanQuantity.count(wanted.files, "file", "files")
        let digest = wanted.digest.map { " with the SHA-256 \($0)" } ?? ""
        let role = wanted.isRequired ? "" : " It isn't required: its failure is a warning."
        return [
            "The published manifest '\(manifest)'\(serial) asks for it as \(wanted.kind)\(version), \(files)\(size)\(digest).\(role)",
            comparison(wanted, isHere: explanation.status?.content != nil),
        ] + wanted.sources.map(sentence)
    }

    private static func comparison(_ wanted: BundleExplanation.Wanted, isHere: Bool) -> String {
        switch wanted.state {
        case .unchanged: "What is here is what it asks for."
        case .revalidate: "No digest says whether what is here is what it asks for: its servers are asked each time."
        case .fetch where !isHere: "There is nothing here that could be what it asks for."
        case .mend: "What is here is what it asks for, but damaged."
        case .fetch: "What is here isn't what it asks for."
        case .impossible: "It can't be had: \(wanted.objection ?? "nobody knows why")."
        }
    }

    private static func sentence(_ source: BundleExplanation.Source) -> String {
        guard source.failureCount > 0 else { return "A source: \(source.url)." }
        let times = HumanQuantity.count(source.failureCount, "time", "times")
        let next = source.nextTry.map { "; refresh leaves it alone until \($0.rfc3339), sync asks it" } ?? ""
        return "A source: \(source.url), which sent what could not be used \(times)\(next)."
    }

    // MARK: What was tried

    private static func tried(_ explanation: BundleExplanation) -> [String] {
        guard let record = explanation.status?.record else {
            return explanation.library.hasIndex
                ? ["No run is remembered that worked on it alone."]
                : ["How runs fared with it isn't known: the library has no index that could be read."]
        }
        var sentences: [String] = []
        let successes = [record.lastSuccess, explanation.manifest?.lastComplete].compactMap(\.self)
        if let success = successes.max() {
            sentences.append("It was last known to be up to date at \(success.rfc3339).")
        }
        if let failure = record.failure, let last = record.lastFailure {
            let times = record.failureCount == 1 ? "failed" : "failed \(record.failureCount) times in a row"
            sentences.append("It has \(times), the last time at \(last.rfc3339): \(escapedText(failure)).")
        }
        if let pause = record.pause {
            sentences.append("A run was ended before it was complete, at \(pause.time.rfc3339).")
        }
        return sentences
    }

    // MARK: What is next

    private static func next(_ explanation: BundleExplanation) -> [String] {
        var sentences: [String] = []
        if let process = explanation.library.writingProcess {
            sentences.append("A run is at work on the library now: process \(process).")
        }
        let pin = explanation.library.pin.flatMap {
            $0.holds(explanation.address.manifest, serial: explanation.manifest?.serial ?? 0) ? $0 : nil
        }
        if let pin { sentences.append("The library is \(StatusText.text(pin)).") }
        let nextRun = pin == nil ? "The next run" : "Once that has ended the next run"
        if let staged = explanation.status?.staged, staged.files > 0 {
            let files = HumanQuantity.count(staged.files, "file", "files")
            sentences.append(
                "\(nextRun) takes over \(files) (\(HumanQuantity.bytes(staged.bytes))) that are complete already.")
        }
        if explanation.currentProblem != nil {
            sentences.append("Before anything else the next run puts that right, as far as it can.")
        } else if explanation.status?.state == .damaged {
            sentences.append(
                pin != nil
                    ? "It is damaged: larder verify --repair mends it, while the library is held."
                    : "It is damaged: the next run mends it, by what the library has, or else from its sources.")
        }
        if let wanted = explanation.wanted, wanted.state == .fetch {
            sentences.append(
                "\(nextRun) has \(HumanQuantity.bytes(wanted.plannedBytes)) to fetch, of which \(HumanQuantity.bytes(wanted.heldBytes)) are here."
            )
        } else if let pause = explanation.status?.record?.pause {
            sentences.append(
                "\(nextRun) has \(HumanQuantity.bytes(pause.plannedBytes)) to fetch, of which \(HumanQuantity.bytes(pause.heldBytes)) were here."
            )
        }
        if let record = explanation.status?.record, record.failure != nil {
            let outlook = StatusText.outlook(record, at: explanation.library.time, isHeld: pin != nil)
            sentences.append(
                pin != nil ? "It is \(outlook)." : outlook.prefix(1).uppercased() + outlook.dropFirst() + ".")
        }
        if sentences.isEmpty, explanation.wanted?.state == .revalidate {
            sentences.append("The next run asks its servers whether they have something else.")
        }
        if sentences.isEmpty { sentences.append("The next run has nothing to do for it.") }
        return sentences
    }
}
