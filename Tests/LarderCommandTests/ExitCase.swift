@testable import LarderCommand

/// A command line, what the library is like that it works on, and what it ends with.
struct ExitCase: Sendable, CustomStringConvertible {
    enum Situation: Sendable {
        case nowhere, unpublished, published
        /// Nobody can tell what is current.
        case damaged
        /// A file of its bundle is gone.
        case lost
        /// Beside a bundle that another library can be brought there are an archive, which is fetched for that, and one without digests, which can't be carried.
        case mixed
        /// As before, and an export of it is at work.
        case exporting
        /// Another run holds it, and a file is gone besides.
        case busy
        /// Whoever reads what a command writes has a full disk.
        case fullOutput
    }

    let words: [String]
    let situation: Situation
    let code: Int32

    var description: String { "\(words.joined(separator: " ")) (\(situation)): \(code)" }

    /// The name of the command.
    var command: String {
        larderCommands.commands.first { words.starts(with: $0.name.split(separator: " ").map(String.init)) }?.name ?? ""
    }

    /// At least one for each code that a command's help lists.
    static let all: [Self] = table.map { Self(words: $0, situation: $1, code: $2) }

    private static let table: [(words: [String], situation: Situation, code: Int32)] = [
        (["status"], .published, 0), (["status"], .unpublished, 0), (["status"], .damaged, 0),
        (["status"], .fullOutput, 1), (["status", "nope"], .published, 64), (["status"], .nowhere, 66),
        (["history"], .published, 0), (["history"], .fullOutput, 1), (["history", "nope"], .published, 64),
        (["history"], .nowhere, 66),
        (["explain", "a"], .published, 0), (["explain", "a"], .damaged, 1), (["explain", "nope"], .published, 64),
        (["explain", "a"], .nowhere, 66),
        (["path", "a"], .published, 0), (["path", "a"], .damaged, 1), (["path", "nope"], .published, 64),
        (["path", "a"], .unpublished, 64), (["path", "a"], .nowhere, 66),
        (["run", "--", "true"], .published, 0), (["run", "--", "true"], .unpublished, 1), (["run"], .published, 64),
        (["run", "--", "true"], .nowhere, 66),
        (["rollback"], .published, 1), (["rollback", "--to", "7"], .published, 64), (["rollback"], .nowhere, 66),
        (["rollback", "--to", "1"], .published, 0), (["rollback"], .busy, 75),
        (["pin"], .published, 0), (["pin"], .unpublished, 1), (["pin", "nope"], .published, 64),
        (["pin"], .nowhere, 66),
        (["pin"], .busy, 75),
        (["unpin"], .unpublished, 0), (["unpin"], .fullOutput, 1), (["unpin", "nope"], .published, 64),
        (["unpin"], .nowhere, 66), (["unpin"], .busy, 75),
        (["forget", "m"], .published, 0), (["forget", "m"], .fullOutput, 1), (["forget", "nope"], .published, 64),
        (["forget", "m"], .nowhere, 66), (["forget", "m"], .busy, 75),
        (["manifest", "sign", "m.json", "-s", "signer.key"], .nowhere, 0),
        (["manifest", "sign", "m.json", "-s", "m.json"], .nowhere, 1),
        (["manifest", "sign", "m.json"], .nowhere, 64),
        (["manifest", "sign", "signer.pub", "-s", "signer.key"], .nowhere, 65),
        (["manifest", "sign", "nowhere.json", "-s", "signer.key"], .nowhere, 66),
        (["manifest", "verify-signature", "s.json", "-P", "signer.pub"], .nowhere, 0),
        (["manifest", "verify-signature", "s.json", "-P", "signer.pub"], .fullOutput, 1),
        (["manifest", "verify-signature", "s.json"], .nowhere, 64),
        (["manifest", "verify-signature", "nowhere.json", "-P", "signer.pub"], .nowhere, 66),
        (["manifest", "verify-signature", "m.json", "-x", "s.json.minisig", "-P", "signer.pub"], .nowhere, 77),
        (["manifest", "create", "m.json"], .nowhere, 0), (["manifest", "create", "empty"], .nowhere, 1),
        (["manifest", "create"], .nowhere, 64), (["manifest", "create", "nowhere"], .nowhere, 66),
        (["--generate", "man"], .nowhere, 0), (["--generate", "man"], .fullOutput, 1), (["--generate"], .nowhere, 64),
        (["sync", "@/m.json"], .published, 0), (["sync", "@/m.json", "--retries", "0"], .unpublished, 1),
        (["sync", "@/half.json"], .nowhere, 2), (["sync", "@/m.json", "--max-bytes", "0"], .nowhere, 3),
        (["sync"], .nowhere, 64), (["sync", "@/bad.json"], .nowhere, 65), (["sync", "nowhere.json"], .published, 66),
        (["sync", "@/m.json", "--min-free", "8000000G"], .nowhere, 73), (["sync", "@/m.json"], .busy, 75),
        (["sync", "@/m.json", "-P", "signer.pub"], .nowhere, 77), (["sync", "@/future.json"], .published, 77),
        (["refresh", "@/m.json"], .published, 0), (["refresh", "@/m.json", "--retries", "0"], .unpublished, 1),
        (["refresh", "@/half.json"], .nowhere, 2), (["refresh", "@/m.json", "--max-bytes", "0"], .nowhere, 3),
        (["refresh"], .nowhere, 64), (["refresh", "@/bad.json"], .nowhere, 65),
        (["refresh", "nowhere.json"], .published, 66),
        (["refresh", "@/m.json", "--min-free", "8000000G"], .nowhere, 73), (["refresh", "@/m.json"], .busy, 75),
        (["refresh", "@/m.json", "--lock", "skip"], .busy, 0),
        (["refresh", "@/m.json", "-P", "signer.pub"], .nowhere, 77),
        (["fetch", "@/a.bin"], .nowhere, 0), (["fetch", "@/lost.epub"], .nowhere, 1), (["fetch"], .nowhere, 64),
        (["fetch", "file:///etc/passwd"], .nowhere, 64),
        (["fetch", "@/a.bin", "-o", "-"], .fullOutput, 73),
        (["unpack", "x.zip"], .nowhere, 0), (["unpack", "x.zip", "--list"], .nowhere, 0),
        (["unpack", "x.zip", "--into", "folder"], .nowhere, 1), (["unpack"], .nowhere, 64),
        (["unpack", "text.zip"], .nowhere, 65), (["unpack", "nowhere.zip"], .nowhere, 66),
        (["validate", "m.json"], .nowhere, 0), (["validate", "bad.json"], .nowhere, 1),
        (["validate"], .nowhere, 64), (["validate", "nowhere.json"], .nowhere, 66),
        (["validate", "m.json"], .published, 1),
        (["verify"], .published, 0), (["verify"], .lost, 1), (["verify", "--budget", "0s"], .mixed, 3),
        (["verify", "nope"], .published, 64), (["verify"], .nowhere, 66), (["verify", "--repair"], .busy, 75),
        (["verify", "--repair"], .lost, 0), (["verify", "--repair", "--min-free", "8000000G"], .lost, 73),
        (["export", "--to", "stick"], .published, 0), (["export", "--to", "stick"], .unpublished, 1),
        (["export", "--to", "stick"], .mixed, 2), (["export"], .published, 64),
        (["export", "--to", "stick"], .nowhere, 66), (["export", "--to", "stick", "--for", "m.json"], .published, 66),
        (["export", "--to", "stick"], .exporting, 75),
        (["clean"], .published, 0), (["clean"], .fullOutput, 1), (["clean", "--keep", "0"], .published, 64),
        (["clean", "@/bad.json"], .published, 65), (["clean"], .nowhere, 66),
        (["clean", "nowhere.json"], .published, 66), (["clean"], .busy, 75),
        (["clean", "@/future.json"], .published, 77),
        (["manifest", "update", "own.json", "folder"], .nowhere, 0),
        (["manifest", "update", "m.json", "empty"], .nowhere, 1), (["manifest", "update", "m.json"], .nowhere, 64),
        (["manifest", "update", "bad.json", "folder"], .nowhere, 65),
        (["manifest", "update", "m.json", "nowhere"], .nowhere, 66),
        (["manifest", "import", "urls.txt"], .nowhere, 0), (["manifest", "import", "lost.txt", "--hash"], .nowhere, 1),
        (["manifest", "import"], .nowhere, 64), (["manifest", "import", "broken.txt"], .nowhere, 65),
        (["manifest", "import", "nowhere.txt"], .nowhere, 66),
        (["--complete", "s"], .nowhere, 0), (["--complete", "s"], .fullOutput, 1),
        (["--complete", "--nonsense"], .nowhere, 64),
    ]
}
