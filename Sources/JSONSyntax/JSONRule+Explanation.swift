extension JSONRule {
    package var explanation: String {
        switch self {
        case .emptyText:
            """
            The file is empty or holds nothing but white space. An upload that was cut off, or a template that printed nothing, leaves \
            such files.
            """
        case .byteOrderMark:
            """
            The three bytes EF BB BF stand in front of the text. RFC 8259 forbids them, and some readers take them for a part of the first \
            key. Editors call the form without them “UTF-8”, and the other one “UTF-8 with BOM”.
            """
        case .notUTF8:
            """
            JSON is UTF-8. The marked bytes are another encoding, mostly UTF-16 or Latin-1, or were cut in the middle of a character. Save \
            the file as UTF-8.
            """
        case .unexpectedCharacter:
            """
            A character stands where JSON has only white space, brackets, commas, colons and values.
            """
        case .missingValue:
            """
            A comma, a colon or a bracket comes where a value should be: something was deleted, or a comma was typed twice.
            """
        case .missingComma:
            """
            Two values or members follow each other without a comma. Mostly the comma is missing at the end of the line before. --fix \
            writes it where nothing else can be meant.
            """
        case .trailingComma:
            """
            JSON takes no comma after the last element of a list or the last member of an object, though JavaScript does. --fix removes \
            it.
            """
        case .missingColon:
            """
            Between a key and its value there is a colon, and neither an equals sign nor nothing.
            """
        case .missingKey:
            """
            Every member of an object is a key in double quotes, a colon and a value. One of these objects has a value or a colon without \
            a key: perhaps brackets were meant instead of braces.
            """
        case .unclosedBracket:
            """
            An opening bracket has no closing one. The notes tell where each bracket was opened that is still open; the marked place is \
            where it is noticed, mostly too late.
            """
        case .mismatchedBracket:
            """
            There is one closing bracket more than opening ones, or one of the wrong kind.
            """
        case .textAfterValue:
            """
            A text holds one value. What follows it is a second one, or what is left of an older, longer version of the file.
            """
        case .comment:
            """
            JSON has no comments. A key that starts with x- can hold a remark, and every reader of manifests passes it over.
            """
        case .unknownWord:
            """
            Words stand in double quotes, but for true, false and null, which are written in small letters. --fix mends True, FALSE and \
            the like.
            """
        case .wrongQuotes:
            """
            Strings stand in double quotes, never in single ones, nor in those of word processors. --fix exchanges them where nothing else \
            has to change.
            """
        case .unquotedKey:
            """
            Keys stand in double quotes. --fix adds them.
            """
        case .unterminatedString:
            """
            A quote opens a string that nothing closes, or a line end comes before the closing quote.
            """
        case .controlCharacter:
            """
            Control characters, the tabulator and line ends among them, are written as escapes in strings. --fix writes them so.
            """
        case .badEscape:
            #"""
            After a backslash JSON knows only \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits. A Windows path needs two \#
            backslashes for each, or better: slashes.
            """#
        case .loneSurrogate:
            #"""
            Characters beyond U+FFFF are written as two \u escapes. One half alone stands for no character, and readers disagree about \#
            what to make of it.
            """#
        case .badNumber:
            """
            A number is an optional minus sign, digits without leading zeros, and optionally a fraction and an exponent. Neither \
            hexadecimal numbers nor +1, .5, 1. or NaN are JSON.
            """
        case .tooDeep:
            """
            The text nests lists and objects deeper than any manifest does. It was made by a mistake, or to make readers fail.
            """
        case .tooLarge:
            """
            The text is larger than what is read at once.
            """
        case .duplicateKey:
            """
            A key is given twice in one object. Some readers take the first value, others the last, and few tell: two programs would see \
            two different manifests. The note tells where it was first given.
            """
        case .tooManyErrors:
            """
            So many errors were found that the rest of the text was not looked at. Mend those, and check again.
            """
        case .integerInOtherForm:
            """
            Where a whole number is due, 1e3 and 1.0 are the same to some readers and errors, or fractions, to others. --fix writes it in \
            plain digits.
            """
        case .negativeZero:
            """
            To some readers -0 is 0, and to others it is another number. --fix takes the sign away.
            """
        case .integerTooLarge:
            """
            Many readers keep numbers as IEEE 754 doubles, which hold whole numbers exactly up to 2^53 - 1 = 9007199254740991 (RFC 8259, \
            section 6). A larger one would be another number to them.
            """
        }
    }
}
