import LinuxSupport

/// The servers to ask, in order.
public enum ServerList: Hashable, Sendable {
    /// These, always.
    case fixed([LookupServer])
    /// Those of a file such as /etc/resolv.conf, which is read again when it changes.
    case file(String)

    public static let system = ServerList.file("/etc/resolv.conf")
}

/// Reads the list when it is asked for, and only when the file has changed.
package struct ServerReader {
    package let list: ServerList
    private var stamp: FileStamp?
    private var servers: [LookupServer] = []

    package init(_ list: ServerList) { self.list = list }

    package mutating func current() -> [LookupServer] {
        switch list {
        case .fixed(let servers): return servers
        case .file(let path):
            if let stamp, stamp.isUpToDate { return servers }
            // The stamp is older than the contents, so a change in between is seen next time.
            stamp = FileStamp(path)
            let text = (try? RegularFile.contents(of: path, limit: 64 << 10)).map {
                String(decoding: $0, as: UTF8.self)
            }
            servers = LookupServer.list(text ?? "")
            return servers
        }
    }
}
