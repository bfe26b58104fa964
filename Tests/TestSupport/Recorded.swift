import Glibc

/// What a file says that a test compares with. Where `LARDER_RECORD` is set, `text` is written there first, so that a change can be looked at.
package func recorded(_ path: String, unless text: String) throws(SystemError) -> String {
    if getenv("LARDER_RECORD") != nil { try writeFile(Array(text.utf8), to: path) }
    return String(decoding: try readFile(path), as: UTF8.self)
}
