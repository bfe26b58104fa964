import CCurl
import Glibc

extension TransferError {
    /// What one of libcurl's codes means to us.
    /// - Parameter systemError: why the connection failed; 0 where it didn't, or nobody knows.
    init(_ code: CURLcode, _ message: String, systemError: Int32, configuration: SessionConfiguration) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .noRoute(message)
        // Not EHOSTUNREACH: that is a neighbour which is switched off, and a route leads there.
        case CURLE_COULDNT_CONNECT where [ENETUNREACH, ENETDOWN].contains(systemError): self = .noRoute(message)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY: self = .unreachable(message)
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut(.connect, after: configuration.connectTimeout)
        case CURLE_SSL_CACERT_BADFILE:
            self = .insecure("\(message); it has the authorities that are trusted (on Debian: install ca-certificates)")
        // CURLE_SSL_CONNECT_ERROR is not among them: that's what a handshake is called which was cut by the line, and passes as that does.
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
            self = .insecure(message)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .invalidResponse(message)
        case CURLE_URL_MALFORMAT, CURLE_UNKNOWN_OPTION, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN:
            self = .unusableRequest(message)
        default:
            self = .connectionLost(message)
        }
    }
}
