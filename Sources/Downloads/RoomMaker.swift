/// Asked before a body of so many bytes is written, where blocking is fine; says why it can't be, or nil.
package typealias RoomMaker = @Sendable (Int64) -> String?
