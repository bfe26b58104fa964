import Glibc

/// How some bytes differ from those expected, said in a line; `nil` if they don't.
///
/// For whatever is longer than a line: when `#expect(one == other)` fails it prints all of both, and takes minutes to compare them.
package func contentDifference(_ expected: [UInt8], _ actual: [UInt8]) -> String? {
    guard expected.count != actual.count || memcmp(expected, actual, expected.count) != 0 else { return nil }
    let common = zip(expected, actual).prefix { $0 == $1 }.count
    return "differs from byte \(common) on; \(actual.count) bytes instead of \(expected.count)"
}
