/// Draws the display: a line for each transfer, as many as there is room for, and one for the whole.
struct ProgressPainter {
    let columns: Int
    let rows: Int
    /// A name that would have to be shorter is left out.
    private static let leastName = 8

    func lines(_ model: ProgressModel) -> [String] {
        // The display never takes more than half of the terminal.
        let segments = model.segments.prefix(max(0, rows / 2 - 2)).map(line)
        let room = max(1, rows / 2 - 1 - segments.count)
        let shown = model.transfers.prefix(model.transfers.count > room ? room - 1 : room)
        var lines = shown.map(line)
        let hidden = model.transfers.count - shown.count
        if hidden > 0 { lines.append(fitted("… and \(hidden) more", to: columns)) }
        return lines + segments + [fitted(total(model), to: columns)]
    }

    /// As much of the whole as there is room for, the most important first.
    func total(_ model: ProgressModel) -> String {
        let rate = model.bytesPerSecond
        var parts = ["\(HumanQuantity.bytes(model.receivedBytes)) of \(HumanQuantity.bytes(model.totalBytes))"]
        // A single fetch has none.
        if model.bundleCount > 0 { parts.insert("\(model.endedBundles)/\(model.bundleCount) bundles", at: 0) }
        if rate > 0 {
            parts.append("\(HumanQuantity.bytes(rate))/s")
            let left = model.totalBytes - model.receivedBytes
            if left > 0 { parts.append("\(HumanQuantity.clock(left / rate)) left") }
        }
        while parts.count > 1, parts.joined(separator: "  ").count > columns { parts.removeLast() }
        return parts.joined(separator: "  ")
    }

    private func line(_ segments: ProgressModel.Segments) -> String {
        let figures = segments.figures
        var parts = ["\(figures.files)/\(figures.totalFiles) segments", HumanQuantity.bytes(figures.bytes)]
        if figures.duration > .zero {
            let played = HumanQuantity.clock(figures.duration.components.seconds)
            let total = figures.totalDuration.map { " of \(HumanQuantity.clock($0.components.seconds))" } ?? ""
            parts.append("\(played)\(total) of play")
        }
        // Beside enough of the name to tell it from others.
        let least = min(segments.name.count, Self.leastName)
        while parts.count > 1, parts.joined(separator: "  ").count + 2 + least > columns { parts.removeLast() }
        let text = parts.joined(separator: "  ")
        let nameWidth = columns - text.count - 2
        guard nameWidth >= least else { return fitted(text, to: columns) }
        return fitted(segments.name, to: nameWidth) + "  " + text
    }

    private func line(_ transfer: ProgressModel.Transfer) -> String {
        let figures = figures(transfer)
        // On a narrow terminal the figures matter more than the name.
        let nameWidth = columns - figures.count - 2
        guard nameWidth >= Self.leastName else { return fitted(figures, to: columns) }
        return padded(fitted(transfer.name, to: nameWidth), to: nameWidth) + "  " + figures
    }

    private func figures(_ transfer: ProgressModel.Transfer) -> String {
        var parts: [String] = []
        if let total = transfer.total, total > 0 {
            parts.append(leading("\(Int(Double(transfer.received) / Double(total) * 100))%", 4))
            if columns >= 60 { parts.append(bar(Double(transfer.received) / Double(total))) }
            parts.append(leading(HumanQuantity.bytes(total), 8))
        } else {
            parts.append(leading(HumanQuantity.bytes(transfer.received), 8))
        }
        if let rate = transfer.bytesPerSecond {
            parts.append(leading("\(HumanQuantity.bytes(rate))/s", 10))
            if let total = transfer.total, rate > 0, total > transfer.received, columns >= 72 {
                parts.append(leading(HumanQuantity.clock((total - transfer.received) / rate), 6))
            }
        }
        return parts.joined(separator: " ")
    }

    private func bar(_ fraction: Double) -> String {
        let width = 12
        let filled = min(width, max(0, Int(fraction * Double(width))))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
    }

    /// Cuts in the middle: the beginning and the end of a name tell most.
    private func fitted(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        guard width > 3 else { return String(text.prefix(max(0, width))) }
        let head = (width - 1) / 2
        return text.prefix(head) + "…" + text.suffix(width - 1 - head)
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
