import Platform

/// An entry's name judged: where its components are, once it is known that they stay beneath the target.
struct EntryPath {
    /// Component ranges within the names it was judged in; empty for the target itself (`./`).
    let components: [Range<Int>]

    static let maximumBytes = RelativePath.maximumBytes

    /// Judges the name at `range` of `names`. Empty and `.` components are left out, as every unpacker does; whatever could leave the
    /// target here or on another system is refused.
    /// - Throws: an error with the code `unsafe`, or `limitExceeded` for too many components.
    init(judging range: Range<Int>, in names: [UInt8], policy: ExtractionPolicy) throws(ArchiveError) {
        let name = names[range]
        guard let first = name.first else { throw ArchiveError(.unsafe, "the name is empty") }
        guard name.count <= Self.maximumBytes else { throw ArchiveError(.unsafe, "the path is over 4,095 bytes long") }
        guard first != UInt8(ascii: "/") else { throw ArchiveError(.unsafe, "the path is absolute") }
        if name.contains(0) { throw ArchiveError(.unsafe, "the name contains a NUL byte") }
        if name.contains(UInt8(ascii: "\\")) { throw ArchiveError(.unsafe, "the name contains a backslash") }
        var components: [Range<Int>] = []
        for component in name.split(separator: UInt8(ascii: "/")) {
            if component.elementsEqual(".".utf8) { continue }
            if component.elementsEqual("..".utf8) { throw ArchiveError(.unsafe, "the path contains '..'") }
            guard component.count <= RelativePath.maximumComponentBytes else {
                throw ArchiveError(.unsafe, "a component of the path is over 255 bytes long")
            }
            if components.isEmpty, Self.isDriveForm(component) {
                throw ArchiveError(.unsafe, "the path begins with a drive letter")
            }
            if policy.names == .portable, let problem = PortableName.problem(of: component) {
                throw ArchiveError(.unsafe, problem)
            }
            components.append(component.startIndex..<component.endIndex)
        }
        guard components.count <= policy.limits.depth else {
            throw ArchiveError(.limitExceeded, "the path is more than \(policy.limits.depth) components deep")
        }
        self.components = components
    }

    private static func isDriveForm(_ component: ArraySlice<UInt8>) -> Bool {
        guard component.count >= 2, component[component.startIndex + 1] == UInt8(ascii: ":") else { return false }
        let letter = component[component.startIndex] | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
    }
}
