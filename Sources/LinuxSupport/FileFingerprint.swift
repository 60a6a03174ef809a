import Glibc

/// Detects, without reading a file, that its content may have changed. All zero if there is no file.
package struct FileFingerprint: Equatable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Follows links, since many tools replace files that way.
    package init(_ path: String) {
        var state = stat()
        if stat(path, &state) != 0 { state = stat() }
        device = UInt(state.st_dev)
        inode = UInt(state.st_ino)
        size = Int(state.st_size)
        seconds = state.st_mtim.tv_sec
        nanoseconds = state.st_mtim.tv_nsec
    }
}
