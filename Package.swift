// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is held to the same bar.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// A room of the house: a library target that imports exactly what it names.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one room, with the shared helpers of all tests.
func tests(of name: String, _ more: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + more,
        exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "larder",
    products: [
        .executable(name: "larder", targets: ["LarderCommand"]),
        .library(name: "Downloads", targets: ["Downloads", "Transfer", "Platform"]),
        .library(name: "Archives", targets: ["Archives", "Platform"]),
    ],
    targets: [
        // System libraries, and the header-only shims that make them callable from Swift.
        // zlib's stands at the top, where whoever maintains the package looks for it first.
        .systemLibrary(name: "CZlib", path: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CLinux"),

        room("Platform", ["CLinux", "CCrypto"]),
        room("Diagnostics", ["Platform"]),
        room("JSONSyntax", ["Diagnostics", "Platform"]),
        room("BundleManifest", ["JSONSyntax", "Diagnostics", "Platform"]),
        room("Transfer", ["Platform", "CCurl"]),
        room("Downloads", ["Transfer", "Platform", "JSONSyntax"]),
        room("Archives", ["Platform", "CZlib", "CDeflate"]),
        room("Playlists", ["Platform", "Diagnostics"]),
        room("ContentLibrary", ["Platform", "JSONSyntax", "CSQLite"]),
        room(
            "Jobs",
            [
                "Platform", "Diagnostics", "JSONSyntax", "BundleManifest", "Transfer", "Downloads", "Archives",
                "ContentLibrary", "Playlists",
            ]),
        room(
            "ManifestChecks",
            [
                "Platform", "Diagnostics", "JSONSyntax", "BundleManifest", "Transfer", "Archives", "Playlists",
                "ContentLibrary", "Jobs",
            ]),
        room(
            "ManifestAuthoring",
            [
                "Platform", "Diagnostics", "JSONSyntax", "BundleManifest", "Transfer", "Downloads", "Archives",
                "Playlists", "Jobs", "CExpat",
            ]),
        room("CommandLineParsing", ["Diagnostics"]),
        .executableTarget(
            name: "LarderCommand",
            dependencies: [
                "Platform", "Diagnostics", "JSONSyntax", "BundleManifest", "Transfer", "Downloads", "Archives",
                "ContentLibrary", "Jobs", "ManifestChecks", "ManifestAuthoring", "CommandLineParsing",
            ],
            swiftSettings: strict),

        // What tests share: a server that misbehaves on request, and temporary directories, processes, real servers.
        .target(name: "FaultServer", dependencies: ["TestSupport"], path: "Tests/FaultServer", swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport", swiftSettings: strict),
        // What `make bench` measures of the library itself.
        .executableTarget(
            name: "DownloadMany", dependencies: ["Downloads", "Transfer", "Platform"], path: "Tests/Bench/DownloadMany",
            swiftSettings: strict),
        .executableTarget(
            name: "ReadManifest", dependencies: ["BundleManifest", "JSONSyntax", "Diagnostics", "Platform"],
            path: "Tests/Bench/ReadManifest", swiftSettings: strict),
        .executableTarget(
            name: "ReadPlaylist", dependencies: ["Playlists", "Platform"], path: "Tests/Bench/ReadPlaylist",
            swiftSettings: strict),

        tests(of: "Platform"),
        tests(of: "JSONSyntax", ["Diagnostics", "Platform"]),
        tests(of: "BundleManifest", ["JSONSyntax", "Diagnostics", "Platform"]),
        tests(of: "Transfer", ["FaultServer", "Platform"]),
        tests(of: "Downloads", ["FaultServer", "Platform", "Transfer"]),
        tests(of: "Archives", ["Platform", "CZlib"]),
        tests(of: "Playlists", ["Platform", "Diagnostics"]),
        tests(of: "ContentLibrary", ["Platform", "JSONSyntax"]),
        tests(
            of: "Jobs",
            [
                "FaultServer", "Platform", "Downloads", "ContentLibrary", "BundleManifest", "JSONSyntax", "Archives",
                "Playlists",
            ]),
        tests(
            of: "ManifestChecks",
            [
                "FaultServer", "Platform", "Diagnostics", "JSONSyntax", "BundleManifest", "Transfer", "Archives",
                "ContentLibrary", "Jobs",
            ]),
        tests(of: "ManifestAuthoring", ["BundleManifest", "Diagnostics", "Platform"]),
        tests(of: "CommandLineParsing"),
        tests(
            of: "LarderCommand",
            [
                "FaultServer", "BundleManifest", "CommandLineParsing", "ContentLibrary", "JSONSyntax", "Jobs",
                "ManifestChecks", "Platform",
            ]),
    ]
)
