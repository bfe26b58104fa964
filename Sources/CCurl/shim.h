#ifndef LARDER_CCURL_SHIM_H
#define LARDER_CCURL_SHIM_H

#include <curl/curl.h>

/* curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift can't call: one flat function a type. */

static inline CURLcode larder_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode larder_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode larder_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*larder_curl_data_callback)(char *, size_t, size_t, void *);

static inline CURLcode larder_curl_set_data_callback(CURL *handle, CURLoption option, larder_curl_data_callback value) {
    return curl_easy_setopt(handle, option, value);
}

typedef int (*larder_curl_socket_callback)(void *, curl_socket_t, curlsocktype);

static inline CURLcode larder_curl_set_socket_callback(CURL *handle, CURLoption option, larder_curl_socket_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode larder_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode larder_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode larder_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode larder_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/* The message's result is a union member, which Swift imports by an awkward name. */
static inline CURLcode larder_curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
