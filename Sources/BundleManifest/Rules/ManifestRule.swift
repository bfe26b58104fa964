import Diagnostics

/// Everything that can be found in a manifest by looking at nothing but its text. `S` is structure, `P` paths, `U` URLs, `H` headers;
/// what is wrong with the JSON itself has ids with `J`.
package enum ManifestRule: String, DiagnosticRule {
    case wrongType = "S001"
    case missingKey = "S002"
    case unknownKey = "S003"
    case keyOfOtherKind = "S004"
    case unknownFormat = "S005"
    case badID = "S006"
    case repeatedID = "S007"
    case badNumber = "S008"
    case badTimestamp = "S009"
    case unknownValue = "S010"
    case unknownRequirement = "S011"
    case unknownPredecessor = "S012"
    case cyclicOrder = "S013"
    case emptyList = "S014"
    case badDigest = "S015"
    case emptyText = "S016"
    case badResolution = "S017"
    case contradictorySelection = "S018"
    case joinDigestWithoutJoin = "S019"
    case expiresBeforeCreated = "S020"
    case downloadWithoutDigest = "S021"
    case tooManyErrors = "S022"
    case tooManyWarnings = "S023"

    case emptyPath = "P001"
    case absolutePath = "P002"
    case badComponent = "P003"
    case badCharacter = "P004"
    case componentTooLong = "P005"
    case pathTooLong = "P006"
    case notAName = "P007"
    case repeatedPath = "P008"
    case fileIsFolder = "P009"
    case reservedName = "P010"
    case badPattern = "P011"

    case emptyURL = "U001"
    case badURLCharacter = "U002"
    case badPercentEscape = "U003"
    case unknownScheme = "U004"
    case fileURL = "U005"
    case badHost = "U006"
    case credentialsInURL = "U007"
    case badPort = "U008"
    case relativeMirror = "U009"
    case mirrorWithoutSlash = "U010"

    case badHeaderName = "H001"
    case badHeaderValue = "H002"
    case reservedHeader = "H003"
    case repeatedHeader = "H004"
    case secretInHeader = "H005"

    package var severity: Severity { row.severity }

    package var title: String { row.title }

    private var row: (severity: Severity, title: String) {
        switch self {
        case .wrongType: (.error, "a value has the wrong type")
        case .missingKey: (.error, "a required key is missing")
        case .unknownKey: (.error, "a key is unknown and doesn't start with x-")
        case .keyOfOtherKind: (.error, "a key doesn't belong to this kind of bundle")
        case .unknownFormat: (.error, "the manifest's format is unknown")
        case .badID: (.error, "an id is not [a-z0-9][a-z0-9._-]{0,63}")
        case .repeatedID: (.error, "two bundles have the same id")
        case .badNumber: (.error, "a number is out of its range")
        case .badTimestamp: (.error, "a time is not RFC 3339 in UTC")
        case .unknownValue: (.error, "a word is none of those allowed")
        case .unknownRequirement: (.error, "the manifest requires an unknown feature")
        case .unknownPredecessor: (.error, "a bundle waits for one that isn't in the manifest")
        case .cyclicOrder: (.error, "bundles wait for each other")
        case .emptyList: (.error, "a list that needs an element is empty")
        case .badDigest: (.error, "a SHA-256 is not 64 lowercase hexadecimal digits")
        case .emptyText: (.error, "a text is empty")
        case .badResolution: (.error, "a resolution is not WIDTHxHEIGHT")
        case .contradictorySelection: (.error, "a selection contradicts itself")
        case .joinDigestWithoutJoin: (.error, "joinSHA256 is given without join")
        case .expiresBeforeCreated: (.warning, "the manifest expires before it was created")
        case .downloadWithoutDigest: (.warning, "a download has no digest")
        case .tooManyErrors: (.error, "too many errors to tell them all")
        case .tooManyWarnings: (.warning, "too many warnings to tell them all")
        case .emptyPath: (.error, "a path is empty")
        case .absolutePath: (.error, "a path is absolute")
        case .badComponent: (.error, "a path has an empty component, or . or ..")
        case .badCharacter: (.error, "a path has a backslash or a control character")
        case .componentTooLong: (.error, "a path's component is longer than 255 bytes")
        case .pathTooLong: (.error, "a path is longer than 4096 bytes")
        case .notAName: (.error, "a file name has a slash")
        case .repeatedPath: (.error, "two files of a bundle have the same path")
        case .fileIsFolder: (.error, "a path is both a file and a folder")
        case .reservedName: (.error, "a path is one that Larder writes itself")
        case .badPattern: (.error, "a pattern is malformed")
        case .emptyURL: (.error, "a URL is empty")
        case .badURLCharacter: (.error, "a URL has a character that must be percent-encoded")
        case .badPercentEscape: (.error, "a percent sign is not followed by two hexadecimal digits")
        case .unknownScheme: (.error, "a URL's scheme is none of http, https and file")
        case .fileURL: (.error, "a file URL in a manifest that wasn't read from a local path")
        case .badHost: (.error, "a URL's host is missing or malformed")
        case .credentialsInURL: (.error, "a URL holds credentials")
        case .badPort: (.error, "a URL's port is not a number of 1 to 65535")
        case .relativeMirror: (.error, "a mirror is not an absolute URL")
        case .mirrorWithoutSlash: (.warning, "a mirror doesn't end with a slash")
        case .badHeaderName: (.error, "a header's name is not a token")
        case .badHeaderValue: (.error, "a header's value has a control character")
        case .reservedHeader: (.error, "a header that only Larder may set")
        case .repeatedHeader: (.error, "a header is given twice")
        case .secretInHeader: (.warning, "a header looks like a secret")
        }
    }
}
