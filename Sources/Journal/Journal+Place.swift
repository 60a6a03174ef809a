import Glibc
public import StateStore

extension Journal {
    /// Checks, before anything is read, that state can be kept in a folder, and makes the folder.
    ///
    /// A file that is there and on a read-only disk is accepted: the daemon serves by the states it has. A folder or file
    /// that belongs to somebody else is not: what operators say would be forgotten from the first day on.
    ///
    /// - Throws: the path, the reason and the remedy.
    public static func requirePlace(folder: String) throws(JournalProblem) {
        let file = path(in: folder)
        let isNew = access(file, F_OK) != 0
        if isNew { try makeFolder(folder) }
        // With the dot, a file in the place of the folder is no folder.
        try require(folder, "\(folder)/.", R_OK | W_OK | X_OK, isNew)
        if !isNew { try require(file, file, R_OK | W_OK, isNew) }
    }

    private static func require(
        _ name: String, _ path: String, _ access: CInt, _ isNew: Bool
    ) throws(JournalProblem) {
        guard faccessat(AT_FDCWD, path, access, AT_EACCESS) != 0 else { return }
        let reason = errno
        guard isNew || reason != EROFS else { return }
        throw problem(name, reason)
    }

    private static func makeFolder(_ folder: String) throws(JournalProblem) {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
            let part = String(folder[..<end])
            guard mkdir(part, 0o777) != 0 else { continue }
            let reason = errno
            // A folder that is there need not be writable, as long as it leads to one that is.
            if access(part, F_OK) == 0 { continue }
            throw problem(part, reason)
        }
    }

    private static func problem(_ path: String, _ reason: CInt) -> JournalProblem {
        JournalProblem(
            "\(path) cannot be written (\(String(cString: strerror(reason)))), so node states and record changes would be lost: let the user of "
                + "nearcastd (uid \(geteuid())) write there, or correct state")
    }
}
