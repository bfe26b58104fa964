import Diagnostics

/// The table of the rules.
extension JSONRule {
    package var row: Row {
        switch self {
        case .emptyText:
            (
                .error, "there is no value",
                """
                The file is empty or holds nothing but white space. An upload that was cut off, or a template that printed nothing, leaves \
                such files.
                """
            )
        case .byteOrderMark:
            (
                .error, "the text begins with a byte order mark",
                """
                The three bytes EF BB BF stand in front of the text. RFC 8259 forbids them, and some readers take them for a part of the first \
                key. Editors call the form without them “UTF-8”, and the other one “UTF-8 with BOM”.
                """
            )
        case .notUTF8:
            (
                .error, "the text is not UTF-8",
                """
                JSON is UTF-8. The marked bytes are another encoding, mostly UTF-16 or Latin-1, or were cut in the middle of a character. Save \
                the file as UTF-8.
                """
            )
        case .unexpectedCharacter:
            (
                .error, "a character that can't stand here",
                """
                A character stands where JSON has only white space, brackets, commas, colons and values.
                """
            )
        case .missingValue:
            (
                .error, "a value is missing",
                """
                A comma, a colon or a bracket comes where a value should be: something was deleted, or a comma was typed twice.
                """
            )
        case .missingComma:
            (
                .error, "a comma is missing",
                """
                Two values or members follow each other without a comma. Mostly the comma is missing at the end of the line before. --fix \
                writes it where nothing else can be meant.
                """
            )
        case .trailingComma:
            (
                .error, "a comma after the last element",
                """
                JSON takes no comma after the last element of a list or the last member of an object, though JavaScript does. --fix removes \
                it.
                """
            )
        case .missingColon:
            (
                .error, "a colon is missing after a key",
                """
                Between a key and its value there is a colon, and neither an equals sign nor nothing. --fix writes it where nothing else can be \
                meant.
                """
            )
        case .missingKey:
            (
                .error, "an object's member has no key in double quotes",
                """
                Every member of an object is a key in double quotes, a colon and a value. One of these objects has a value or a colon without \
                a key: perhaps brackets were meant instead of braces.
                """
            )
        case .unclosedBracket:
            (
                .error, "a bracket is never closed",
                """
                An opening bracket has no closing one. The notes tell where each bracket was opened that is still open; the marked place is \
                where it is noticed, mostly too late.
                """
            )
        case .mismatchedBracket:
            (
                .error, "a closing bracket has no opening one",
                """
                There is one closing bracket more than opening ones, or one of the wrong kind.
                """
            )
        case .textAfterValue:
            (
                .error, "text after the value",
                """
                A text holds one value. What follows it is a second one, or what is left of an older, longer version of the file.
                """
            )
        case .comment:
            (
                .error, "JSON has no comments",
                """
                JSON has no comments. A key that starts with x- can hold a remark, and every reader of manifests passes it over.
                """
            )
        case .unknownWord:
            (
                .error, "a word that is none of true, false and null",
                """
                Words stand in double quotes, but for true, false and null, which are written in small letters. --fix mends True, FALSE and \
                the like.
                """
            )
        case .wrongQuotes:
            (
                .error, "strings stand in double quotes",
                """
                Strings stand in double quotes, never in single ones, nor in those of word processors. --fix exchanges them where nothing else \
                has to change.
                """
            )
        case .unquotedKey:
            (
                .error, "a key without quotes",
                """
                Keys stand in double quotes. --fix adds them to a single word.
                """
            )
        case .unterminatedString:
            (
                .error, "a quote of a string is missing",
                """
                A quote opens a string that nothing closes, a line end comes before the closing quote, or it is the opening quote that is \
                missing.
                """
            )
        case .controlCharacter:
            (
                .error, "a control character in a string",
                """
                Control characters, the tabulator and line ends among them, are written as escapes in strings. --fix writes them so.
                """
            )
        case .badEscape:
            (
                .error, "an escape that JSON doesn't have",
                #"""
                After a backslash JSON knows only \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits. A Windows path needs two \#
                backslashes for each, or better: slashes.
                """#
            )
        case .loneSurrogate:
            (
                .error, "an escaped surrogate without its other half",
                #"""
                Characters beyond U+FFFF are written as two \u escapes. One half alone stands for no character, and readers disagree about \#
                what to make of it.
                """#
            )
        case .badNumber:
            (
                .error, "a number in a form that JSON doesn't have",
                """
                A number is an optional minus sign, digits without leading zeros, and optionally a fraction and an exponent. Neither \
                hexadecimal numbers nor +1, .5, 1. or NaN are JSON. --fix takes out the commas of 73,194,614.
                """
            )
        case .tooDeep:
            (
                .error, "too many levels of arrays and objects",
                """
                The text nests lists and objects deeper than any manifest does. It was made by a mistake, or to make readers fail.
                """
            )
        case .tooLarge:
            (
                .error, "the text is too large",
                """
                The text is larger than what is read at once.
                """
            )
        case .duplicateKey:
            (
                .error, "a key appears twice in an object",
                """
                A key is given twice in one object. Some readers take the first value, others the last, and few tell: two programs would see \
                two different manifests. The note tells where it was first given.
                """
            )
        case .tooManyErrors:
            (
                .error, "too many errors to go on",
                """
                So many errors were found that the rest of the text was not looked at. Mend those, and check again.
                """
            )
        case .integerInOtherForm:
            (
                .error, "a whole number is not written in plain digits",
                """
                Where a whole number is due, 1e3 and 1.0 are the same to some readers and errors, or fractions, to others. --fix writes it in \
                plain digits.
                """
            )
        case .negativeZero:
            (
                .error, "a zero has a minus sign",
                """
                To some readers -0 is 0, and to others it is another number. --fix takes the sign away.
                """
            )
        case .integerTooLarge:
            (
                .error, "a whole number is above 2^53 - 1",
                """
                Many readers keep numbers as IEEE 754 doubles, which hold whole numbers exactly up to 2^53 - 1 = 9007199254740991 (RFC 8259, \
                section 6). A larger one would be another number to them.
                """
            )
        }
    }
}
