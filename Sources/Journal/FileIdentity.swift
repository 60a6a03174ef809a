import Foundation
import Glibc

/// The file that a path leads to. It is identified without opening it: closing a file would release SQLite's locks on
/// it.
struct FileIdentity: Equatable, Sendable {
    let device: dev_t
    let inode: ino_t
    let isRegular: Bool

    /// `nil`: there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
