import CLibBPF
import CLinux
import Glibc

/// Collects what libbpf prints, call by call, instead of letting it go to standard error.
enum LibraryLog {
    /// libbpf has one print function per process. It is set once, and collects by thread.
    private static let installed: Void = {
        _ = libbpf_set_print { level, format, arguments in
            guard let format, let arguments, level != LIBBPF_DEBUG else { return 0 }
            return linux_log_append(format, arguments)
        }
    }()

    /// Runs the call on this thread and returns its result with what was printed.
    static func collect<T>(_ body: () -> T) -> (T, String) {
        _ = installed
        linux_log_begin()
        let result = body()
        guard let text = linux_log_end() else { return (result, "") }
        defer { free(text) }
        return (result, String(cString: text))
    }

    /// The relevant lines, at most `lines`. A verifier log may have megabytes; its reason is at its end, before the
    /// statistics.
    static func tail(_ log: String, lines: Int = 12) -> String? {
        let relevant = log.split(separator: "\n").filter { line in
            !noise.contains { line.hasPrefix($0) }
        }
        guard !relevant.isEmpty else { return nil }
        return relevant.suffix(lines).joined(separator: "\n")
    }

    private static let noise = [
        "-- END PROG LOAD LOG", "processed ", "verification time", "stack depth", "libbpf: failed to load object",
        "libbpf: elf: skipping",
    ]
}
