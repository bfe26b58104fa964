import CSQLite
import Glibc
import Platform

/// An SQLite database file with one owner. Statements are prepared once and kept.
///
/// Not `Sendable`: whoever owns it sees to it that one thread uses it at a time.
final class SQLiteDatabase {
    private let handle: OpaquePointer
    private let name: String
    private var statements: [String: OpaquePointer] = [:]

    /// How long to wait for a reader, such as `larder status`, before giving up.
    private static let busyTimeoutMilliseconds: Int32 = 5_000

    /// Opens the file, and makes it unless it is only read; whether it really is a database shows only when it is used.
    init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        name = escapedText(path)
        var handle: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let flags = access | SQLITE_OPEN_NOMUTEX
        // SQLite takes a name that begins with "file:" for a URI.
        let code = sqlite3_open_v2(path.hasPrefix("/") ? path : "./" + path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = Self.error(code, handle, name)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that take and give nothing.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs one statement and hands each row of its result to `row`.
    func run(
        _ sql: String, _ parameters: [SQLiteValue] = [], row: (SQLiteRow) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, parameter) in parameters.enumerated() {
            let code = parameter.bind(to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: row(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    /// Runs `body` as one step: all of it is kept, or nothing.
    func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // After some failures SQLite has rolled back by itself, and this fails: that is fine.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The number of the last row that was inserted.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code) }
        statements[sql] = statement
        return statement
    }

    private func error(_ code: Int32) -> SQLiteError { Self.error(code, handle, name) }

    private static func error(_ code: Int32, _ handle: OpaquePointer?, _ name: String) -> SQLiteError {
        guard let text = handle.map({ sqlite3_errmsg($0) }) ?? sqlite3_errstr(code) else {
            return SQLiteError(code: code, systemCode: 0, message: "\(name): error \(code)")
        }
        let message = "\(name): \(escapedText(String(cString: text)))"
        guard let handle, SQLiteError.isOfSystem(code) else {
            return SQLiteError(code: code, systemCode: 0, message: message)
        }
        let system = SystemError(code: sqlite3_system_errno(handle), operation: "use", subject: name)
        return SQLiteError(code: code, systemCode: system.code, message: "\(message) (\(system.reason))")
    }
}

/// What SQLite said.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An extended result code.
    let code: Int32
    /// The `errno` value that the system gave as its reason; 0 where it isn't the system's.
    let systemCode: Int32
    let message: String

    var description: String { message }

    /// A database that is readable and still not what this program writes.
    static func unusable(_ reason: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, systemCode: 0, message: "the index can't be used: \(reason)")
    }

    private var primaryCode: Int32 { code & 0xff }
    /// What SQLite says when a system call failed.
    static func isOfSystem(_ code: Int32) -> Bool { [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) }
    /// The file is no database, not a whole one, one with other tables, or one that the disk doesn't give back.
    var isDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR].contains(primaryCode) || Self.readFailures.contains(code)
    }
    /// SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ: macros that Swift can't import.
    private static let readFailures = [SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 2 << 8]
    var isNoSpace: Bool { primaryCode == SQLITE_FULL || systemCode == ENOSPC || systemCode == EDQUOT }
}

/// What goes into a statement.
enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case null

    fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .text(let text): larder_sqlite3_bind_text(statement, index, text, -1)
        case .null: sqlite3_bind_null(statement, index)
        }
    }
}

/// A row of a result, valid while it is being handed out.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
    }

    /// A number of things; what is none counts as 0.
    func count(_ column: Int32) -> Int { Int(clamping: max(0, integer(column))) }

    /// A moment from 1970 to the end of the year 9999, whoever wrote it: no age that is added to it or taken from it can overflow.
    func time(_ column: Int32) -> Timestamp {
        Timestamp(seconds: min(max(0, integer(column)), 253_402_300_799))
    }

    func optionalTime(_ column: Int32) -> Timestamp? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : time(column)
    }

    func text(_ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }

    func optionalText(_ column: Int32) -> String? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : text(column)
    }
}
