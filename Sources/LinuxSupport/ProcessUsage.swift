import Glibc

/// What this process uses of the system (proc(5)).
public struct ProcessUsage: Sendable, Equatable {
    /// Processor time of all threads, in user and kernel mode.
    public let processorSeconds: Double
    public let residentBytes: UInt64
    public let virtualBytes: UInt64
    public let threads: Int
    /// Descriptors that are open, without the one that counts them.
    public let openDescriptors: Int

    /// `nil` without `/proc`.
    public static var current: ProcessUsage? {
        guard let bytes = try? RegularFile.contents(of: "/proc/self/stat", limit: 4_096),
            let fields = fields(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessUsage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytes: fields.residentPages * UInt64(sysconf(CInt(_SC_PAGESIZE))),
            virtualBytes: fields.virtualBytes,
            threads: fields.threads, openDescriptors: openDescriptors)
    }

    /// The name of the program, in parentheses, may have any character. The fields after it are counted from 3.
    static func fields(_ stat: String) -> (threads: Int, virtualBytes: UInt64, residentPages: UInt64)? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let threads = Int(fields[17]), let bytes = UInt64(fields[20]),
            let pages = UInt64(fields[21].prefix { $0.isNumber })
        else { return nil }
        return (threads, bytes, pages)
    }

    private static var openDescriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The entries "." and "..", and the descriptor of the folder.
        return max(0, count - 3)
    }
}
