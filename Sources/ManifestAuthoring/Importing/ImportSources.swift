import Glibc
import Platform

/// The lists that a manifest is made of, as a user named them.
package struct ImportSources: Sendable {
    private let operands: [Operand]
    /// The bags among them; nil where there are none.
    private var bags: ManifestSources?

    private enum Operand: Sendable {
        case file(ImportedList)
        case bag(number: Int)
    }

    /// Opens what is at the paths, `-` for standard input.
    /// - Throws: `SystemError` for what can't be opened, `CreationProblem` for bags of which one lies in another.
    package init(_ paths: [String]) throws {
        var operands: [Operand] = []
        var bagPaths: [String] = []
        for path in paths {
            let file = try path == "-" ? Self.standardInput() : OwnedDescriptor.open(path, flags: O_RDONLY | O_NOCTTY)
            if try file.status().kind == .directory {
                operands.append(.bag(number: bagPaths.count))
                bagPaths.append(path)
            } else {
                operands.append(.file(ImportedList(file, stem: path == "-" ? nil : Self.stem(of: path))))
            }
        }
        self.operands = operands
        bags = bagPaths.isEmpty ? nil : try ManifestSources(bagPaths)
    }

    var lists: [ImportedList] {
        operands.compactMap { operand in
            switch operand {
            case .file(let list): list
            // Folders are held in the order they were named in.
            case .bag(let number): bags.map { ImportedList($0.folders[number]) }
            }
        }
    }

    /// How many lists there are.
    package var count: Int { operands.count }

    /// What the first list is called, without an ending; nil for standard input.
    package var stem: [UInt8]? { lists.first?.stem }

    /// The folder that the URLs of what lies in bags are relative to; nil where there are no bags.
    package var base: [UInt8]? { bags?.base }

    /// Makes URLs of what lies in bags relative to another folder, where the manifest will lie.
    /// - Returns: false, and changes nothing, where not everything lies beneath it.
    package mutating func setBase(_ folder: [UInt8]) -> Bool { bags?.setBase(folder) ?? true }

    private static func standardInput() throws(SystemError) -> OwnedDescriptor {
        let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .last("open", "standard input") }
        return OwnedDescriptor(adopting: descriptor, name: "standard input")
    }

    private static func stem(of path: String) -> [UInt8] {
        let bytes = Array(path.utf8)
        let name = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
        return Array(name[..<(name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex)])
    }
}
