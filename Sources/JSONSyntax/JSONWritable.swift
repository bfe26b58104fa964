/// What a ``JSONWriter`` takes as a value.
package protocol JSONWritable {
    func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Double: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension JSONWritable where Self: BinaryInteger {
    package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

/// `nil` is `null`.
extension Optional: JSONWritable where Wrapped: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.array { elements in
            for element in self { element.write(to: &elements) }
        }
    }
}
