import ControlFailures
import Glibc
import LinuxSupport
import SystemPackage

/// The file of a Unix socket: its folder, leftovers of a killed daemon, and a trial connection.
enum SocketFile {
    /// A name in the folder of `path` that only this process uses; `nil` if it is too long for a socket's address.
    static func temporary(beside path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let name = "\(folder).\(getpid())"
        return name.utf8.count <= UnixSocketAddress.maximumPathBytes ? name : nil
    }

    /// Makes the folder (0750, independent of the umask), removes a socket file without a listener, and tries to make
    /// one.
    static func prepare(_ path: String, handover: Bool) throws(ControlFailure) {
        try makeFolder(of: path)
        guard let entry = FileEntry(path) else { return try probe(path) }
        guard entry.isSocket else {
            throw ControlFailure(
                .invalid, "control \(path): the file there is not a socket",
                remedy: "remove it or correct control")
        }
        switch connect(path) {
        case .success(let descriptor):
            close(descriptor)
            guard !handover else { return }
            throw isServed(path)
        case .failure(let error) where error.errno == .connectionRefused:
            unlink(path)
            try probe(path)
        case .failure(let error):
            throw ControlFailure(.invalid, "control \(path): \(error.reason)")
        }
    }

    /// - Throws: `conflict` if a daemon answers at the path. Changes nothing.
    static func requireFree(_ path: String) throws(ControlFailure) {
        guard FileEntry(path)?.isSocket == true, case .success(let descriptor) = connect(path) else { return }
        close(descriptor)
        throw isServed(path)
    }

    private static func isServed(_ path: String) -> ControlFailure {
        ControlFailure(
            .conflict, "another nearcastd is running: it answers at \(path)",
            remedy: "start this one with --takeover to replace it, stop it first, or give this one another control path"
        )
    }

    /// Makes the socket file and removes it. The later bind, when packets are answered already, must not fail.
    private static func probe(_ path: String) throws(ControlFailure) {
        switch open(path, "bind", bind) {
        case .success(let descriptor):
            unlink(path)
            close(descriptor)
        case .failure(let error):
            throw ControlFailure(
                .invalid, "control \(path): the socket cannot be made: \(error.reason)",
                remedy: "correct control, or make its folder writable")
        }
    }

    /// A blocking connection to the socket at `path`.
    static func connect(_ path: String) -> Result<CInt, SystemError> {
        open(path, "connect", Glibc.connect)
    }

    /// A socket that `action`, bind or connect, was applied to with `path`.
    private static func open(
        _ path: String, _ call: String, _ action: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> Result<CInt, SystemError> {
        guard let address = UnixSocketAddress(path: path) else {
            return .failure(SystemError(call: "\(call) \(path)", errno: .fileNameTooLong))
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .failure(.last("socket")) }
        let result = address.withPointer { action(descriptor, $0, $1) }
        guard result == 0 else {
            let error = SystemError.last("\(call) \(path)")
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    private static func makeFolder(of path: String) throws(ControlFailure) {
        guard path.utf8.count <= UnixSocketAddress.maximumPathBytes else {
            throw ControlFailure(.invalid, "control \(path): the path is too long", remedy: "use at most 107 bytes")
        }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = path[..<slash]
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
            let part = String(folder[..<end])
            // Until it has its mode only its owner gets in.
            if mkdir(part, 0o700) == 0 {
                chmod(part, 0o750)
            } else if errno != EEXIST {
                throw ControlFailure(
                    .invalid, "control \(path): folder \(part) cannot be made: \(SystemError.last("mkdir").reason)")
            }
        }
    }
}
