import ArgumentParser
import ControlFailures
import Glibc
import ManagementTypes

/// How commands that fail say so.
enum FailureOutput {
    /// Prints an error and gives the exit code for it.
    static func report(_ error: any Error) -> Int32 {
        if let failure = error as? ControlFailure {
            report(failure)
            return ExitCode.failure.rawValue
        }
        let code = Nearcast.exitCode(for: error)
        // Help, the version, and codes whose reason is already printed.
        guard code == .validationFailure, isJSON else { Nearcast.exit(withError: error) }
        let usage = UsageError.Content(code: "usage", message: Nearcast.message(for: error))
        Terminal.writeError(json: UsageError(error: usage))
        return code.rawValue
    }

    private static func report(_ failure: ControlFailure) {
        if isJSON {
            Terminal.writeError(json: FailureReport(error: failure))
        } else {
            let remedy = failure.remedy.map { "  \($0)\n" } ?? ""
            Terminal.writeError("nearcast: \(failure.message)\n\(remedy)")
        }
    }

    /// Asked of the arguments themselves, since an error may keep them from being parsed.
    private static var isJSON: Bool {
        CommandLine.arguments.prefix { $0 != "--" }.contains("--json")
    }

    private struct UsageError: Encodable {
        struct Content: Encodable {
            let code: String
            let message: String
        }
        let error: Content
    }
}
