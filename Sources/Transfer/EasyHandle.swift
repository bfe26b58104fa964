import CCurl
import Glibc
import Platform

/// The owner of one libcurl easy handle, and of the header list and error text it refers to.
final class EasyHandle {
    private(set) var raw: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option libcurl refused, nil when it took all.
    private(set) var refusal: String?

    /// How much libcurl reads from a connection at once.
    private static let bufferBytes = 128 << 10

    init() {
        raw = Self.makeRaw()
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    private static func makeRaw() -> UnsafeMutableRawPointer {
        guard let raw = curl_easy_init() else { preconditionFailure("out of memory for a transfer") }
        return raw
    }

    /// Makes it as new, so that it can serve another exchange.
    func reset() {
        curl_easy_reset(raw)
        // After some failures libcurl (7.88) keeps its buffer in the handle, and then can't be told its size: such a handle has had its day.
        if larder_curl_set_long(raw, CURLOPT_BUFFERSIZE, Self.bufferBytes) != CURLE_OK {
            curl_easy_cleanup(raw)
            raw = Self.makeRaw()
            larder_curl_set_long(raw, CURLOPT_BUFFERSIZE, Self.bufferBytes)
        }
        curl_slist_free_all(headerList)
        headerList = nil
        refusal = nil
        errorText[0] = 0
        check(larder_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText), CURLOPT_ERRORBUFFER)
    }

    func set(_ option: CURLoption, _ value: Int) {
        check(larder_curl_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String) {
        check(larder_curl_set_string(raw, option, value), option)
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) {
        check(larder_curl_set_pointer(raw, option, pointer), option)
    }

    func set(_ option: CURLoption, callback: @escaping larder_curl_data_callback) {
        check(larder_curl_set_data_callback(raw, option, callback), option)
    }

    func set(_ option: CURLoption, callback: @escaping larder_curl_socket_callback) {
        check(larder_curl_set_socket_callback(raw, option, callback), option)
    }

    /// The header lines to send, each `Name: value`.
    func setHeaderLines(_ lines: [String]) {
        for line in lines { headerList = curl_slist_append(headerList, line) ?? headerList }
        check(larder_curl_set_pointer(raw, CURLOPT_HTTPHEADER, headerList), CURLOPT_HTTPHEADER)
    }

    /// Notes a refusal by the option's name; never its value, which may be a secret.
    private func check(_ code: CURLcode, _ option: CURLoption) {
        guard code != CURLE_OK, refusal == nil else { return }
        let name = curl_easy_option_by_id(option).map { String(cString: $0.pointee.name) } ?? "\(option.rawValue)"
        refusal = "\(name): \(String(cString: curl_easy_strerror(code)))"
    }

    /// What went wrong, in libcurl's most precise words that can be shown.
    func message(_ code: CURLcode) -> String {
        let precise = String(cString: errorText)
        // It quotes a proxy's URL as it was given, the password with it.
        return precise.isEmpty || precise.contains("@")
            ? String(cString: curl_easy_strerror(code)) : escapedText(precise)
    }

    /// How long after the hop's start its connection stood and the request went out; nil while that is still to come.
    var requestSentAfter: Duration? {
        var microseconds: curl_off_t = 0
        larder_curl_get_offset(raw, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// The `errno` value of a connection that failed; 0 for none.
    var systemError: Int32 {
        var code = 0
        larder_curl_get_long(raw, CURLINFO_OS_ERRNO, &code)
        return Int32(truncatingIfNeeded: code)
    }

    /// The version of HTTP the reply came by: 1 for 1.x, 2, 3; 0 when there was none.
    var httpMajorVersion: Int {
        var version = 0
        larder_curl_get_long(raw, CURLINFO_HTTP_VERSION, &version)
        switch version {
        case Int(CURL_HTTP_VERSION_1_0), Int(CURL_HTTP_VERSION_1_1): return 1
        case Int(CURL_HTTP_VERSION_2_0): return 2
        case Int(CURL_HTTP_VERSION_3): return 3
        default: return 0
        }
    }
}
