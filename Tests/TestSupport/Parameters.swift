import Glibc

/// What a test run is told by its environment.
package enum Parameters {
    /// How often each randomised test is run, with other choices each time: `LARDER_ROUNDS`, or else once.
    package static let rounds = number("LARDER_ROUNDS") ?? 1

    /// Whether the tests that need root are to run, and fail where they can't: `LARDER_ROOT_TESTS=1`.
    package static let wantsRootTests = number("LARDER_ROOT_TESTS") == 1

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }
}
