/// What secrets are called in requests: names in lower case.
package enum SecretNames {
    /// Request headers.
    package static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token", "private-token",
    ]

    /// The parameters of a query in which servers look for a signature or a token: those of S3 and its like, Google's and Azure's storage,
    /// CloudFront and Akamai, and common ones.
    package static let parameters: Set<String> = [
        "x-amz-signature", "x-amz-security-token", "awsaccesskeyid", "x-goog-signature", "sig", "signature",
        "key-pair-id",
        "hdnts", "hdnea", "token", "access_token", "api_key", "apikey", "password", "auth", "jwt",
    ]

    /// No name has more bytes.
    static let longestBytes = 24
}
