/// Where a partial file gathers: the folder itself, whatever it was named by, and the name there.
struct PartialPlace: Hashable {
    let directory: [UInt64]
    let name: [UInt8]
}
