/// What was let go of because memory was short.
public struct MemoryRelief: Hashable, Sendable {
    /// Bytes of buffers that were kept for the next pieces of bodies.
    public var bufferBytes = 0
    /// Handles that were kept for the next exchanges.
    public var handleCount = 0
}
