import CLibBPF
import CLinux
import Glibc

/// What libbpf prints, collected call by call instead of going to standard error.
enum LibraryLog {
    /// libbpf's print function is one for the process: it is set once, and collects by thread.
    private static let installed: Void = {
        _ = libbpf_set_print { level, format, arguments in
            guard let format, let arguments, level != LIBBPF_DEBUG else { return 0 }
            return linux_log_append(format, arguments)
        }
    }()

    /// Runs the call on this thread and gives its result with what was printed.
    static func collect<T>(_ body: () -> T) -> (T, String) {
        _ = installed
        linux_log_begin()
        let result = body()
        guard let text = linux_log_end() else { return (result, "") }
        defer { free(text) }
        return (result, String(cString: text))
    }

    /// The lines that say why, at most `lines`. A verifier log may have megabytes; its reason stands at its end,
    /// before the statistics.
    static func tail(_ log: String, lines: Int = 12) -> String? {
        let told = log.split(separator: "\n").filter { line in
            !noise.contains { line.hasPrefix($0) }
        }
        guard !told.isEmpty else { return nil }
        return told.suffix(lines).joined(separator: "\n")
    }

    private static let noise = [
        "-- END PROG LOAD LOG", "processed ", "verification time", "stack depth", "libbpf: failed to load object",
        "libbpf: elf: skipping",
    ]
}
