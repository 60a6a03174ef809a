/// One finding of the host check.
public struct Finding: Codable, Equatable, Sendable {
    public enum Level: String, Codable, Sendable, CaseIterable {
        /// As it should be.
        case good
        /// Could be better, or good to know.
        case advice
        /// Prevents the fast path, or DNS altogether, from working.
        case problem
    }

    /// An interface's name, or `host`.
    public var subject: String
    public var level: Level
    public var text: String
    /// The commands that fix it, one per line.
    public var commands: [String]

    init(_ subject: String, _ level: Level, _ text: String, _ commands: [String] = []) {
        self.subject = subject
        self.level = level
        self.text = text
        self.commands = commands
    }
}

extension HostFacts {
    /// The findings for the host, then for each interface.
    public var findings: [Finding] { hostFindings + interfaces.flatMap { $0.findings(processors: processors) } }

    private var hostFindings: [Finding] {
        var findings: [Finding] = []
        if let obstacle {
            findings.append(
                Finding("host", .problem, "XDP programs cannot be loaded:  \(obstacle)", Self.remedy(of: obstacle)))
        } else {
            findings.append(Finding("host", .good, "kernel \(kernel) loads XDP programs"))
        }
        findings.append(
            hasBPFFileSystem
                ? Finding("host", .good, "a BPF file system is mounted at /sys/fs/bpf")
                : Finding(
                    "host", .advice,
                    "no BPF file system is mounted at /sys/fs/bpf: nearcastd mounts one if it has permission",
                    ["mount -t bpf bpf /sys/fs/bpf"]))
        let others = Set(listeners).filter { $0.process?.hasPrefix("nearcastd ") != true }
        for listener in others.sorted(by: { $0.transport < $1.transport }) {
            let resolved = listener.process?.hasPrefix("systemd-resolve") == true
            findings.append(
                Finding(
                    "host", .advice,
                    "port 53/\(listener.transport) is in use by \(listener.process ?? "a process that cannot be identified")"
                        + " on some address",
                    [resolved ? "set DNSStubListener=no in /etc/systemd/resolved.conf" : "ss -lunp; ss -ltnp"]))
        }
        return findings
    }

    private static func remedy(of obstacle: String) -> [String] {
        if obstacle.hasPrefix("missing CAP_") { return ["sudo nearcast doctor"] }
        if obstacle.contains("older than") { return ["install a kernel of 6.1 or later"] }
        return []
    }
}
