import ArgumentParser
import ControlFailures
import Glibc
import ManagementTypes

/// Prints the error of a command that failed.
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

    /// Read from the raw arguments, because an error may prevent their parsing.
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
