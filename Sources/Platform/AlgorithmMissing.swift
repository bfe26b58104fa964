/// That libcrypto doesn't offer an algorithm: where only approved ones are allowed (FIPS), or it was built without.
package struct AlgorithmMissing: Error, Hashable, Sendable, CustomStringConvertible {
    let name: String

    package var description: String {
        "libcrypto offers no \(name) on this machine, as where only approved algorithms are allowed (FIPS)"
    }
}
