import Foundation

/// A process that asks a daemon for its place, for a process of any id, and then does nothing until its end.
final class IdleSuccessor {
    private let process = Process()
    /// What the daemon said.
    let answer: String

    /// - Parameter asked: the process named in the request; nil: the one that asks.
    init(at socket: String, for asked: Int32? = nil) throws {
        let program = """
            import os, socket, sys, time
            body = '{"pid": %s}' % (sys.argv[2] if len(sys.argv) > 2 else os.getpid())
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(("POST /v1/handover HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n"
                       "Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body)).encode())
            answer = b""
            while (more := s.recv(65536)): answer += more
            print(answer.decode().replace("\\r\\n", " "), flush=True)
            time.sleep(300)
            """
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program, socket] + (asked.map { ["\($0)"] } ?? [])
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n"), let next = try output.fileHandleForReading.read(upToCount: 1)?.first {
            line.append(next)
        }
        answer = String(decoding: line, as: UTF8.self)
    }

    deinit { end() }

    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
