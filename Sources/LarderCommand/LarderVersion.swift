/// The program's version: the newest heading of CHANGELOG.md.
enum LarderVersion {
    static let text = "0.1.0"
}
