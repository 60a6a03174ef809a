import Foundation

/// Finds processes with a socket at port 53, from /proc.
enum PortHolders {
    static func ofPort53() -> [Listener] {
        let sockets = ["udp", "udp6", "tcp", "tcp6"].flatMap { transport in
            inodes(in: text("/proc/net/\(transport)"), isStream: transport.hasPrefix("tcp")).map { (transport, $0) }
        }
        guard !sockets.isEmpty else { return [] }
        let owners = owners(of: Set(sockets.map { "socket:[\($0.1)]" }))
        return sockets.map { Listener(transport: $0.0, process: owners["socket:[\($0.1)]"]) }
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    /// Inodes of the sockets bound to port 53. For TCP only listening ones (proc(5): state 0A).
    static func inodes(in table: String, isStream: Bool) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(":0035"), !isStream || fields[3] == "0A" else { return nil }
            return String(fields[9])
        }
    }

    private static func owners(of links: Set<String>) -> [String: String] {
        let files = FileManager.default
        var owners: [String: String] = [:]
        for pid in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] where Int(pid) != nil {
            for descriptor in (try? files.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? [] {
                guard let link = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(descriptor)"),
                    links.contains(link)
                else { continue }
                let name = text("/proc/\(pid)/comm").trimmingCharacters(in: .newlines)
                owners[link] = "\(name) (\(pid))"
            }
        }
        return owners
    }
}
