import Glibc

/// Daemons of this machine, whatever their control sockets.
enum RunningDaemon {
    /// Process id of one that is running.
    static func find() -> Int32? {
        guard let folder = opendir("/proc") else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let pid = Int32(name), command(of: pid) == "nearcastd" { return pid }
        }
        return nil
    }

    /// The kernel's name of a process; `nil` for one that has ended.
    private static func command(of pid: Int32) -> String? {
        let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
