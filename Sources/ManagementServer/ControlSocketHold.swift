import Glibc
import RegularFiles

/// Keeps a server's socket reachable while a successor may put its own in the place: should that one die, the server's is
/// given its name again. Without it a socket that was replaced has no name, and nobody could reach the server any more.
public struct ControlSocketHold: Sendable {
    private let path: String
    private let own: FileEntry
    /// A second name of the socket.
    public let spare: String

    /// `nil`: there is no socket, or its folder takes no second name.
    public init?(_ path: String) {
        guard let own = FileEntry(path), let spare = SocketFile.temporary(beside: path) else { return nil }
        unlink(spare)
        guard link(path, spare) == 0 else { return nil }
        (self.path, self.own, self.spare) = (path, own, spare)
    }

    /// Gives the server's socket its name again, where a successor has replaced it.
    ///
    /// - Parameter isLast: the successor is gone; else it may replace the socket once more, and the spare name stays.
    public func restore(isLast: Bool) {
        let isInPlace = FileEntry(path) == own
        if isLast {
            // Two names of one socket are left as they are by rename(2).
            if isInPlace { unlink(spare) } else { rename(spare, path) }
        } else if !isInPlace {
            let another = spare + "+"
            unlink(another)
            if link(spare, another) == 0 { rename(another, path) }
        }
    }
}
