import Diagnostics

/// What can be wrong with a playlist (RFC 8216 and draft-pantos-hls-rfc8216bis). An error is what could make a copy differ from the original;
/// where it is clear what was meant there is a warning.
package enum PlaylistRule: String, DiagnosticRule {
    case noHeader = "M001"
    case lateHeader = "M002"
    case byteOrderMark = "M003"
    case controlCharacter = "M004"
    case notUTF8 = "M005"
    case badURI = "M006"
    case tooLarge = "M007"
    case mixedKinds = "M008"
    case noContent = "M009"
    case blanks = "M010"
    case badAttributes = "M011"
    case looseAttribute = "M012"
    case duplicateAttribute = "M013"
    case missingAttribute = "M014"
    case badValue = "M015"
    case looseValue = "M016"
    case segmentWithoutURI = "M017"
    case uriWithoutSegment = "M018"
    case variantWithoutURI = "M019"
    case uriWithoutVariant = "M020"
    case orphanRange = "M021"
    case missingComma = "M022"
    case negativeDuration = "M023"
    case durationOverTarget = "M024"
    case noTargetDuration = "M025"
    case undefinedVariable = "M026"
    case badDefinition = "M027"
    case encryptedMapWithoutVector = "M028"
    case missingGroup = "M029"
    case incompleteVariant = "M030"
    case noEndList = "M031"
    case noSegments = "M032"
    case misplacedTag = "M033"
    case contradiction = "M034"
    case compressed = "M035"

    package var severity: Severity {
        switch self {
        case .lateHeader, .byteOrderMark, .notUTF8, .blanks, .looseAttribute, .looseValue, .variantWithoutURI,
            .uriWithoutVariant, .missingComma, .negativeDuration, .durationOverTarget, .noTargetDuration, .missingGroup,
            .incompleteVariant, .noEndList, .noSegments, .misplacedTag:
            .warning
        case .noHeader, .controlCharacter, .badURI, .tooLarge, .mixedKinds, .noContent, .badAttributes,
            .duplicateAttribute, .missingAttribute, .badValue, .segmentWithoutURI, .uriWithoutSegment, .orphanRange,
            .undefinedVariable, .badDefinition, .encryptedMapWithoutVector, .contradiction, .compressed:
            .error
        }
    }

    package var title: String {
        switch self {
        case .noHeader: "the text doesn't begin with #EXTM3U"
        case .lateHeader: "something stands before #EXTM3U"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .controlCharacter: "a control character"
        case .notUTF8: "a text that isn't UTF-8"
        case .badURI: "a URI that can't be one"
        case .tooLarge: "more than a playlist may hold"
        case .mixedKinds: "tags of a master and of a media playlist in one"
        case .noContent: "neither variants nor segments"
        case .blanks: "blanks around a line"
        case .badAttributes: "a malformed attribute list"
        case .looseAttribute: "an attribute that isn't written as it should be"
        case .duplicateAttribute: "an attribute appears twice in a tag"
        case .missingAttribute: "an attribute is missing"
        case .badValue: "a value that can't be used"
        case .looseValue: "a value that isn't written as it should be"
        case .segmentWithoutURI: "a segment has no URI"
        case .uriWithoutSegment: "a URI has no #EXTINF"
        case .variantWithoutURI: "a variant has no URI"
        case .uriWithoutVariant: "a URI has no #EXT-X-STREAM-INF"
        case .orphanRange: "a byte range without an offset that continues nothing"
        case .missingComma: "the comma after a duration is missing"
        case .negativeDuration: "a negative duration"
        case .durationOverTarget: "a segment is longer than the target duration"
        case .noTargetDuration: "there is no target duration"
        case .undefinedVariable: "a variable that isn't defined"
        case .badDefinition: "a definition that can't be followed"
        case .encryptedMapWithoutVector: "an encrypted #EXT-X-MAP without an IV"
        case .missingGroup: "a group without renditions"
        case .incompleteVariant: "a variant or rendition lacks an attribute"
        case .noEndList: "a VOD playlist without #EXT-X-ENDLIST"
        case .noSegments: "a media playlist without segments"
        case .misplacedTag: "a tag in a place where it can't be"
        case .contradiction: "a tag appears twice with different values"
        case .compressed: "the text is compressed"
        }
    }
}
