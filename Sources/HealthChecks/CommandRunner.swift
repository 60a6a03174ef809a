import FoundationEssentials
package import Health
import IPNetworks
import LinuxSupport
import Subprocess
import SystemPackage

/// Runs a program of the operator's: without a shell, as another account if one is named, in a session of its own, with a
/// small environment, and with bounded output. It ends, with all processes of its session's group, when the task is
/// cancelled.
package struct CommandRunner: Sendable {
    /// Bytes of output.
    private static let limit = 16 << 10

    private let command: CommandProbe

    package init(_ command: CommandProbe) { self.command = command }

    /// The outcome of a check.
    func outcome(target: Check.Target) async -> ProbeOutcome {
        let variable = target.address == nil ? "NEARCAST_HOST" : "NEARCAST_ADDRESS"
        return switch await run([variable: "\(target)"]) {
        case .ended(let status, let output): Self.outcome(status, output)
        case .notRun(let reason): .unasked("cannot run \(command.arguments[0]): \(reason)")
        }
    }

    /// What became of a run.
    package enum Run: Sendable {
        /// `nil`: by a signal.
        case ended(status: Int32?, output: String)
        case notRun(String)
    }

    /// Runs the program to its end.
    ///
    /// - Parameter variables: for its environment, besides PATH and LANG.
    package func run(_ variables: [String: String]) async -> Run {
        var options = PlatformOptions()
        options.createSession = true
        // At once and all of them: a child that ignores a polite signal would outlive its parent.
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(1))
        ]
        if let user = command.user {
            guard let account = Account(named: user) else { return .notRun("there is no account \(user)") }
            (options.userID, options.groupID) = (account.user, account.group)
            options.supplementaryGroups = account.groups
        }
        var environment: [Environment.Key: String] = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"]
        for (name, value) in variables { environment[Environment.Key(stringLiteral: name)] = value }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(command.arguments[0])), arguments: Arguments(Array(command.arguments.dropFirst())),
                environment: .custom(environment), workingDirectory: "/", platformOptions: options,
                output: .string(limit: Self.limit), error: .combinedWithOutput)
            let output = result.standardOutput
            guard case .exited(let status) = result.terminationStatus else {
                return .ended(status: nil, output: output)
            }
            return .ended(status: status, output: output)
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            return .ended(status: nil, output: "more than \(Self.limit) bytes of output")
        } catch { return .notRun("\("\(error)".prefix(160))") }
    }

    /// Exit status 0 passes, unless the output is a JSON object whose `passed` is false.
    private static func outcome(_ status: Int32?, _ output: String) -> ProbeOutcome {
        let line = output.split(whereSeparator: \.isNewline).first.map { String($0.prefix(160)) } ?? ""
        let text = line.isEmpty ? "" : ": \(line)"
        guard let status else { return .failed("ended by a signal\(text)") }
        guard status == 0 else { return .failed("exit status \(status)\(text)") }
        guard output.first == "{" else { return .passed("exit status 0\(text)") }
        guard let verdict = try? JSONDecoder().decode(Verdict.self, from: Data(output.utf8)) else {
            return .failed("its output begins with { and is not JSON with passed and evidence")
        }
        let evidence = String((verdict.evidence ?? "passed is \(verdict.passed)").prefix(160))
        return verdict.passed ? .passed(evidence) : .failed(evidence)
    }

    private struct Verdict: Decodable {
        let passed: Bool
        let evidence: String?
    }
}
