import CommandLineText
import ControlFailures
import Glibc
import LinuxSupport
import ManagementTypes

/// Standard output and error.
enum Terminal {
    /// Colours only on a terminal, and not if the user opts out (no-color.org).
    static func palette(of descriptor: CInt) -> Palette {
        let wantsNone = variable("NO_COLOR")?.isEmpty == false || variable("TERM") == "dumb"
        return isatty(descriptor) == 1 && !wantsNone ? .coloured : .plain
    }

    /// The user who runs this command by sudo. The daemon learns the account from the kernel.
    static var sudoUser: String? { variable("SUDO_USER").flatMap { $0.isEmpty ? nil : $0 } }

    /// Every byte of a file; of standard input for `-`.
    static func contents(of path: String) throws(ControlFailure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ControlFailure(.invalid, "\(path) cannot be read: \(SystemError.last("open").reason)")
        }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ControlFailure(.invalid, "\(path) cannot be read: \(SystemError.last("read").reason)")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Shows an activity on a terminal until it is done.
    static func during<Result>(_ activity: String, _ work: () -> Result) -> Result {
        guard isatty(STDERR_FILENO) == 1, variable("TERM") != "dumb" else { return work() }
        writeError(activity)
        // Back to the first column, and erase the line (ECMA-48, EL).
        defer { writeError("\r\u{1B}[K") }
        return work()
    }

    /// Shows a progress bar on a terminal until the activity is done. `work` reports its progress, 0 to 1.
    static func during<Result>(_ activity: String, _ work: ((_ done: Double) -> Void) -> Result) -> Result {
        guard isatty(STDERR_FILENO) == 1, variable("TERM") != "dumb" else { return work { _ in } }
        var shown = -1
        defer { writeError("\r\u{1B}[K") }
        return work { done in
            let width = 30
            let percent = Int(min(max(done, 0), 1) * 100)
            guard percent != shown else { return }
            shown = percent
            let bar = String(repeating: "━", count: percent * width / 100)
            let rest = String(repeating: " ", count: width - percent * width / 100)
            writeError("\r\(activity) \(bar)\(rest) \(percent) %")
        }
    }

    static func write(_ text: String) {
        write(Array(text.utf8), to: STDOUT_FILENO)
    }

    static func writeError(_ text: String) {
        write(Array(text.utf8), to: STDERR_FILENO)
    }

    static func write(json value: some Encodable) {
        write(document(value), to: STDOUT_FILENO)
    }

    /// For streams: one object a line.
    static func write(jsonLine value: some Encodable) {
        if let bytes = try? ControlJSON.encode(value) { write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }
    }

    static func writeError(json value: some Encodable) {
        write(document(value), to: STDERR_FILENO)
    }

    private static func document(_ value: some Encodable) -> [UInt8] {
        do {
            return try ControlJSON.encode(value, pretty: true) + [UInt8(ascii: "\n")]
        } catch {
            // Only numbers that JSON lacks (infinity, NaN) get here.
            return Array("{\"error\": {\"code\": \"internal\", \"message\": \"the report is no JSON\"}}\n".utf8)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A full disk or a closed terminal: the error cannot be printed either.
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}
