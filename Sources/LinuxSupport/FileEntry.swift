import Glibc

/// A named entry of a folder. A symbolic link is an entry of its own, whatever it leads to.
package struct FileEntry: Equatable, Sendable {
    private let device: UInt
    private let inode: UInt
    package let isSocket: Bool

    /// `nil`: no entry has that name.
    package init?(_ path: String) {
        var state = stat()
        guard lstat(path, &state) == 0 else { return nil }
        device = UInt(state.st_dev)
        inode = UInt(state.st_ino)
        isSocket = state.st_mode & S_IFMT == S_IFSOCK
    }
}
