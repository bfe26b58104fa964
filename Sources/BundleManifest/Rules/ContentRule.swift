import Diagnostics

/// Everything that can be found by looking at what a manifest names, and not at its text alone: `O`, where its sources are asked, and `F`, where
/// what they bring is here and is opened.
package enum ContentRule: String, ExplainedRule {
    case unreachable = "O001"
    case insecure = "O002"
    case timedOut = "O003"
    case badStatus = "O004"
    case busy = "O005"
    case invalidReply = "O006"
    case otherSizeThere = "O007"
    case mirrorsDiffer = "O008"
    case answersDiffer = "O009"
    case noRanges = "O010"
    case badRange = "O011"
    case htmlPage = "O012"
    case redirectRefused = "O013"
    case redirectElsewhere = "O014"
    case contentCoding = "O015"
    case noValidator = "O016"
    case noLength = "O017"
    case mirrorsMayDiffer = "O018"
    case unusableURL = "O019"
    case notAsked = "O020"

    case localFileMissing = "F001"
    case otherDigestHere = "F002"
    case otherSizeHere = "F003"
    case archiveDamaged = "F004"
    case archiveUnsafe = "F005"
    case archiveUnsupported = "F006"
    case archiveOverLimit = "F007"
    case nothingSelected = "F008"
    case idlePattern = "F009"
    case strippedFiles = "F010"
    case archiveOddity = "F011"
    case otherArchiveFormat = "F012"
    case epubMimetype = "F013"
    case epubContainer = "F014"
    case epubRootfile = "F015"
    case otherFileType = "F016"
    case cutImage = "F017"
    case noImages = "F018"
    case otherJoinedDigest = "F019"
    case notOpened = "F020"

    package var severity: Severity { row.severity }

    package var title: String { row.title }

    package var explanation: String { row.explanation }
}
