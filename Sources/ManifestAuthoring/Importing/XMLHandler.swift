/// Who hears of a document's elements. Whatever is thrown ends the reading.
protocol XMLHandler: AnyObject {
    /// An element of the document's own namespaces begins.
    /// - Parameter line: its first line.
    func begin(_ name: String, _ attributes: [String: String], line: Int) throws(ImportProblem)

    /// It ends.
    /// - Parameter text: what stands in it, where it holds no other elements, without white space at its ends.
    func end(_ name: String, text: String) throws(ImportProblem)
}
