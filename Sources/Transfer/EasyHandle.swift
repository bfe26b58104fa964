import CCurl
import Glibc

/// The owner of one libcurl easy handle, and of the header list and error text it refers to.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option libcurl refused, nil when it took all.
    private(set) var refusal: String?

    init() {
        guard let raw = curl_easy_init() else { preconditionFailure("out of memory for a transfer") }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Makes it as new, so that it can serve another exchange.
    func reset() {
        curl_easy_reset(raw)
        curl_slist_free_all(headerList)
        headerList = nil
        refusal = nil
        errorText[0] = 0
        check(larder_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText), "error buffer")
    }

    func set(_ option: CURLoption, _ value: Int) {
        check(larder_curl_set_long(raw, option, value), "\(option.rawValue)")
    }

    func set(_ option: CURLoption, _ value: String) {
        check(larder_curl_set_string(raw, option, value), "\(option.rawValue) = \(value)")
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) {
        check(larder_curl_set_pointer(raw, option, pointer), "\(option.rawValue)")
    }

    func set(_ option: CURLoption, callback: @escaping larder_curl_data_callback) {
        check(larder_curl_set_data_callback(raw, option, callback), "\(option.rawValue)")
    }

    /// The header lines to send, each `Name: value`.
    func setHeaderLines(_ lines: [String]) {
        for line in lines { headerList = curl_slist_append(headerList, line) ?? headerList }
        check(larder_curl_set_pointer(raw, CURLOPT_HTTPHEADER, headerList), "headers")
    }

    private func check(_ code: CURLcode, _ what: String) {
        if code != CURLE_OK, refusal == nil { refusal = "\(what): \(String(cString: curl_easy_strerror(code)))" }
    }

    /// What went wrong, in libcurl's most precise words.
    func message(_ code: CURLcode) -> String {
        errorText[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
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
