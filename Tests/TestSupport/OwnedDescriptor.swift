import Glibc

/// A file descriptor with one owner, closed once: on demand or with its owner.
package final class OwnedDescriptor: Sendable {
    /// Only valid until `close`.
    package let number: Int32
    private let isOpenState = Watched(true)

    package init(_ number: Int32) { self.number = number }

    deinit { close() }

    package var isOpen: Bool { isOpenState.now }

    package func close() {
        isOpenState.update { isOpen in
            if isOpen { Glibc.close(number) }
            isOpen = false
        }
    }
}
