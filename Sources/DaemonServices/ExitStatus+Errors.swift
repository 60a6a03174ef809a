import ControlFailures
package import ControlPlane
import DNSServer
import LinuxSupport
import StateStore
import SystemPackage

extension ExitStatus {
    /// The status for an error that ends the daemon; `nil` if it is of no known kind.
    package init?(_ error: any Error) {
        switch error {
        case let failure as StartupFailure: self = failure.status
        case let failure as ListenError:
            switch failure.code {
            case .portTaken: self = .unavailable
            case .noPermission: self = .permission
            case .addressNotOnHost: self = .configuration
            case .system: self = .system
            }
        case let failure as ControlFailure:
            self = failure.code == .conflict || failure.code == .unavailable ? .unavailable : .configuration
        case is JournalProblem: self = .files
        case let failure as SystemError:
            self = failure.errno == .permissionDenied || failure.errno == .notPermitted ? .permission : .system
        default: return nil
        }
    }
}
