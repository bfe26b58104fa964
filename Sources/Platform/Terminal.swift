import CLinux
import Glibc

/// What stands behind one of the standard streams.
package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns and rows; 80 by 24 where the terminal doesn't say.
    package static func size(_ descriptor: Int32) -> (columns: Int, rows: Int) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        larder_terminal_size(descriptor, &columns, &rows)
        return (columns > 0 ? Int(columns) : 80, rows > 0 ? Int(rows) : 24)
    }
}
