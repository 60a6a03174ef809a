import Glibc
import LinuxSupport

/// Keeps a server's socket reachable while a successor may replace its file: if the successor dies, the socket gets its
/// name back. A socket whose file was replaced has no name, so the server could not be reached any more.
public struct ControlSocketHold: Sendable {
    private let path: String
    private let own: FileEntry
    /// A second name of the socket.
    public let spare: String

    /// `nil` if there is no socket, or if its folder takes no second name.
    public init?(_ path: String) {
        guard let own = FileEntry(path), let spare = SocketFile.temporary(beside: path) else { return nil }
        unlink(spare)
        guard link(path, spare) == 0 else { return nil }
        (self.path, self.own, self.spare) = (path, own, spare)
    }

    /// Gives the server's socket its name back, if a successor has replaced it.
    ///
    /// - Parameter isLast: the successor is gone. Otherwise it may replace the socket again, and the spare name stays.
    public func restore(isLast: Bool) {
        let isInPlace = FileEntry(path) == own
        if isLast {
            // rename(2) does nothing if both are names of one socket.
            if isInPlace { unlink(spare) } else { rename(spare, path) }
        } else if !isInPlace {
            let another = spare + "+"
            unlink(another)
            if link(spare, another) == 0 { rename(another, path) }
        }
    }
}
