import Diagnostics

/// Everything that can be found in a manifest by looking at nothing but its text. `S` is structure, `P` paths, `U` URLs, `D` digests
/// and sizes, `L` segment lists, `H` headers, `V` what changed since an older version; what is wrong with the JSON itself has ids with `J`.
package enum ManifestRule: String, ExplainedRule {
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
    // S022 and S023 told that there were too many findings; their ids stay unused.
    case expired = "S024"
    case recordingOver = "S025"
    case gapsWithoutRecording = "S026"

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
    case caseCollision = "P012"
    case notComposed = "P013"
    case notPortable = "P014"
    case tooLargeForFAT = "P015"

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
    case repeatedURL = "U011"
    case singleSource = "U012"
    case signedURL = "U013"
    case nothingToResolve = "U014"
    case fragment = "U015"

    case digestWithTwoSizes = "D001"
    case limitBelowSize = "D002"
    case digestOfNothing = "D003"
    case placeholderDigest = "D004"

    case missingDuration = "L001"
    case noDuration = "L002"
    case gapInNumbers = "L003"
    case mixedContainers = "L004"
    case repeatedSegment = "L005"
    case numbersOutOfOrder = "L006"

    case badHeaderName = "H001"
    case badHeaderValue = "H002"
    case reservedHeader = "H003"
    case repeatedHeader = "H004"
    case secretInHeader = "H005"

    case otherManifest = "V001"
    case serialNotRaised = "V002"
    case versionReused = "V003"
    case bundleDropped = "V004"
    case createdEarlier = "V005"

    package var severity: Severity { row.severity }

    package var title: String { row.title }

    package var explanation: String { row.explanation }
}
