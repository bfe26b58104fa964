import Diagnostics

extension ManifestRule {
    /// The rows of the rules about URLs.
    var urlRow: Row? {
        switch self {
        case .emptyURL:
            (
                .error, "a URL is empty",
                """
                A URL can’t be empty: it would stand for the manifest itself.
                """
            )
        case .badURLCharacter:
            (
                .error, "a URL has a character that must be percent-encoded",
                """
                URLs are ASCII. Spaces and letters beyond it are percent-encoded, each byte of their UTF-8 as %XX. --fix does it, but for hosts, \
                which are called xn--… in ASCII.
                """
            )
        case .badPercentEscape:
            (
                .error, "a percent sign is not followed by two hexadecimal digits",
                """
                In a URL a percent sign begins an escape of two hexadecimal digits. A percent sign itself is written %25.
                """
            )
        case .unknownScheme:
            (
                .error, "a URL's scheme is none of http, https and file",
                """
                Larder fetches over http and https, and copies from file. A relative path with a colon in its first component looks like a \
                scheme: write ./ in front of it.
                """
            )
        case .fileURL:
            (
                .error, "a file URL in a manifest that wasn't read from a local path",
                """
                Only somebody who can write files on this machine may name them: a manifest from a server, or from standard input, could \
                otherwise publish any file that it can read.
                """
            )
        case .badHost:
            (
                .error, "a URL's host is missing or malformed",
                """
                The part after // must be a host name of letters, digits, dots and hyphens, or an address, IPv6 in brackets, optionally with a \
                port.
                """
            )
        case .credentialsInURL:
            (
                .error, "a URL holds credentials",
                """
                Everyone can read a manifest, and URLs end up in logs. Logins belong into a netrc file, which the settings of --config \
                name.
                """
            )
        case .badPort:
            (
                .error, "a URL's port is not a number of 1 to 65535",
                """
                A port is a number from 1 to 65535.
                """
            )
        case .relativeMirror:
            (
                .error, "a mirror is not an absolute URL",
                """
                Mirrors are what relative URLs are resolved against, so they must be absolute: a scheme, a host and a path.
                """
            )
        case .mirrorWithoutSlash:
            (
                .warning, "a mirror doesn't end with a slash",
                """
                When a relative URL is joined to a base, whatever follows the base’s last slash is dropped (RFC 3986, section 5.2.3): \
                https://a.example/content and x.zip make https://a.example/x.zip.
                """
            )
        case .repeatedURL:
            (
                .warning, "a URL appears twice in a list",
                """
                A list of URLs names sources of the same bytes, tried in turn. The same one twice is no second source; perhaps another was \
                meant.
                """
            )
        case .singleSource:
            (
                .note, "a bundle can be had from one place only",
                """
                Something in this bundle has one URL only, which is absolute, or relative with fewer than two mirrors: while that server is down, \
                nobody gets it.
                """
            )
        case .signedURL:
            (
                .warning, "a URL is signed and will expire",
                """
                The query has a signature or a token, as storage services give them out for hours or days. A manifest outlives them. Name a URL \
                that lasts, or let a server of yours redirect to the signed one.
                """
            )
        case .nothingToResolve:
            (
                .error, "relative URLs have nothing to be resolved against",
                """
                A manifest from standard input has no place of its own, so relative URLs need mirrors in it, or --base on the command line. \
                Of the marked bundle something has no other URLs, so sync would fail it.
                """
            )
        case .fragment:
            (
                .warning, "a URL has a fragment, which is never sent",
                """
                What follows # never reaches a server. If the name of the file has a # in it, write %23.
                """
            )
        default: nil
        }
    }
}
