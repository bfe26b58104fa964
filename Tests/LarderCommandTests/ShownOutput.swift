/// Whether a program's output is the one that an article shows.
///
/// What differs from run to run, or from disk to disk, counts for nothing: durations, rates, ages, dates and times of the day, room on the
/// disk, the name that `mktemp` chose, and how wide a column is for them. A line that is nothing but `…` stands for any number of lines.
enum ShownOutput {
    static func agrees(_ shown: [String], with actual: [String]) -> Bool {
        agrees(shown.filter { !$0.isEmpty }.map(masked)[...], with: actual.map(masked)[...])
    }

    private static func agrees(_ shown: ArraySlice<String>, with actual: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return actual.isEmpty }
        if first == "…" {
            return (actual.startIndex...actual.endIndex).contains { agrees(shown.dropFirst(), with: actual[$0...]) }
        }
        return actual.first == first && agrees(shown.dropFirst(), with: actual.dropFirst())
    }

    private static func masked(_ line: String) -> String {
        let masked =
            line.replacing(#/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?)?/#, with: "DATE")
            .replacing(#/\b\d\d:\d\d:\d\d\b/#, with: "TIME")
            .replacing(
                #/\d+(\.\d+)? [kMG]?B (of \d+(\.\d+)? [kMGT]?B free|freed|would be free|more of disk)/#, with: "ROOM"
            )
            .replacing(#/\/tmp\/tmp\.\w+/#, with: "FOLDER")
            .replacing(#/\b\d+(\.\d+)? ([kMG]?B\/s|ms|s|min|h)\b/#, with: "FIGURE")
        return masked == line ? line : masked.replacing(#/ +/#, with: " ")
    }
}
