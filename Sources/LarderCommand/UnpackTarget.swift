import Platform

/// The directory that an archive is unpacked into: filled under another name beside it, and given its own once it is complete.
struct UnpackTarget {
    /// Why it can't be used.
    struct Problem: Error {
        let message: String
        let isNoSpace: Bool

        init(_ message: String) { (self.message, isNoSpace) = (message, false) }
        init(_ error: SystemError) { (message, isNoSpace) = (error.description, error.isNoSpace) }
    }

    /// Where to unpack.
    let directory: Directory
    private let parent: Directory
    private let name: RelativePath
    private let temporary: RelativePath
    private let replaces: Bool

    /// Makes the directory to fill.
    /// - Parameters:
    ///   - path: of the target, whose parent must exist.
    ///   - replacing: lets the target hold something already.
    init(path: String, replacing: Bool) throws(Problem) {
        let (parentPath, name) = try Self.split(path)
        do throws(SystemError) {
            parent = try Directory.open(parentPath)
            (self.name, temporary) = (name, try parent.temporarySibling(of: name))
        } catch { throw Problem(error) }
        replaces = try Self.holdsSomething(name, in: parent)
        guard replacing || !replaces else {
            throw Problem("'\(escapedText(path))' is there and not empty; --replace replaces it")
        }
        do throws(SystemError) {
            try parent.makeDirectory(temporary, mode: 0o700)
            directory = try parent.subdirectory(temporary)
        } catch { throw Problem(error) }
    }

    /// Gives the filled directory its name, in one step.
    /// - Returns: why what was replaced is still there, under another name; nil where nothing is left of it.
    func publish() throws(Problem) -> String? {
        do throws(SystemError) {
            try directory.descriptor.setMode(0o755)
            guard replaces else {
                try parent.rename(temporary, to: name)
                return nil
            }
            try parent.exchange(temporary, with: name)
        } catch { throw Problem(error) }
        // From here on it is done, whatever becomes of the old one.
        do throws(SystemError) { try parent.removeTree(temporary) } catch {
            let place = "\(parent.name == "." ? "" : parent.name)\(temporary)"
            return "what was replaced is left as \(place), and can be removed by hand: \(error)"
        }
        return nil
    }

    /// Leaves nothing behind.
    func discard() { _ = try? parent.removeTree(temporary) }

    private static func split(_ path: String) throws(Problem) -> (parent: String, name: RelativePath) {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? "."
        do throws(PathProblem) { return (parent, try RelativePath(Array(bytes[((slash ?? -1) + 1)...]))) } catch {
            throw Problem("'\(escapedText(path))' can't become a directory: \(error); give it a name of its own")
        }
    }

    private static func holdsSomething(_ name: RelativePath, in parent: Directory) throws(Problem) -> Bool {
        do throws(SystemError) {
            guard let status = try parent.status(of: name) else { return false }
            guard status.kind != .directory else { return try !parent.subdirectory(name).names().isEmpty }
        } catch { throw Problem(error) }
        throw Problem("\(parent.name == "." ? "" : parent.name)\(name) is there and is no directory")
    }
}
