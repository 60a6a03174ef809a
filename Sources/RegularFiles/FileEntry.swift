import Glibc

/// What has a name in a folder; a link is told from what it leads to.
package struct FileEntry: Equatable, Sendable {
    private let device: UInt
    private let inode: UInt
    package let isSocket: Bool

    /// `nil`: nothing has that name.
    package init?(_ path: String) {
        var state = stat()
        guard lstat(path, &state) == 0 else { return nil }
        device = UInt(state.st_dev)
        inode = UInt(state.st_ino)
        isSocket = state.st_mode & S_IFMT == S_IFSOCK
    }
}
