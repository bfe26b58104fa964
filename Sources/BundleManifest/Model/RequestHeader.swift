/// A header of a request, checked against header injection.
package struct RequestHeader: Sendable, Hashable {
    package let name: String
    package let value: String
}
