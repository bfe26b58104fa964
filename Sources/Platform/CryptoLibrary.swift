import CCrypto

/// libcrypto, as the program as a whole uses it.
package enum CryptoLibrary {
    /// Lets it stay as it is until the process is gone. Otherwise it tidies up when the process exits, while a thread that has hashed may be ending:
    /// that one finds it gone and crashes, after all is done. To be called before anything else of it is used, by libcurl too.
    package static func stayUntilTheEnd() { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
