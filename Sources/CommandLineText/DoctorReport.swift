public import HostCheck

/// What `nearcast doctor` found.
public struct DoctorReport: Codable, Equatable, Sendable {
    /// Whether nothing keeps the fast path from working.
    public var ok: Bool
    public var findings: [Finding]

    public init(_ findings: [Finding]) {
        ok = !findings.contains { $0.level == .problem }
        self.findings = findings
    }

    /// For people: a line for each finding, and under it what changes it.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        var subjects: [String] = []
        for finding in findings where !subjects.contains(finding.subject) { subjects.append(finding.subject) }
        for subject in subjects {
            var table = TextTable([.left(subject), .left("")])
            for finding in findings where finding.subject == subject {
                let (word, style): (String, TextStyle) =
                    switch finding.level {
                    case .good: ("good", .good)
                    case .advice: ("advice", .warning)
                    case .problem: ("problem", .bad)
                    }
                table.add([.init(word, style), .init(finding.text)])
                for command in finding.commands { table.add([.init(""), .init("  \(command)", .faint)]) }
            }
            report.add(table)
        }
        return report.text
    }
}
