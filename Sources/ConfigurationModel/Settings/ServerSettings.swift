public import IPNetworks

/// One endpoint of `listen`.
public struct ListenSettings: Sendable {
    public let endpoint: SocketEndpoint
    public let mark: DocumentLocation
}

/// An absolute path and where it is declared; of a default the mapping that lacks it.
public struct PathSetting: Sendable {
    public let path: String
    public let mark: DocumentLocation
}

/// `fast_path`: where and how the XDP program is attached.
public struct FastPathSettings: Sendable {
    /// At least one unless `mode` is `off`; no two alike.
    public let interfaces: [InterfaceSettings]
    public let mode: Mode
    public let onExit: ExitAction
    /// Nil: what the program answers never grows stale.
    public let stale: StaleSettings?
    /// Whether queries with a COOKIE option are answered.
    public let answersCookies: Bool
    /// Whether queries that ask for the server's identifier are.
    public let answersIdentifier: Bool
    /// Whether frames with VLAN tags are.
    public let answersTagged: Bool
    /// Whether replies longer than the client takes are cut.
    public let cutsReplies: Bool
    /// Whether replies are limited by `rate_limit`.
    public let limitsRate: Bool
    /// Queries a second that one processor passes up; `nil`: all.
    public let passedPerSecond: Int?
    /// Whether those beyond are counted only.
    public let isPassedDryRun: Bool
    public let mark: DocumentLocation

    /// Whether user space answers everything, by what is configured.
    public var isOff: Bool { mode == .off || interfaces.isEmpty }

    /// How the program is attached.
    public enum Mode: String, Sendable, CaseIterable {
        /// In the driver where it can, else in the kernel's generic hook, else not at all; the choice is logged.
        case auto
        /// In the driver or not at all.
        case native
        /// In the kernel's generic hook or not at all.
        case generic
        /// Everything is answered from user space.
        case off
    }

    /// What happens to the program when the daemon stops cleanly.
    public enum ExitAction: String, Sendable, CaseIterable {
        /// The program stays pinned and goes on answering.
        case keep
        /// The program is detached and its maps are removed.
        case detach
    }
}

/// `fast_path.stale`: what a program does whose daemon is gone.
public struct StaleSettings: Sendable, Equatable {
    /// Without a sign of the daemon, 5 s to an hour.
    public let afterMilliseconds: Int
    /// Seconds that clients may keep addresses then, 1 to 3600.
    public let ttl: UInt32

    public init(afterMilliseconds: Int, ttl: UInt32) {
        self.afterMilliseconds = afterMilliseconds
        self.ttl = ttl
    }
}

/// An interface of `fast_path.interfaces`; its name has the form that Linux allows.
public struct InterfaceSettings: Sendable {
    public let name: String
    public let mark: DocumentLocation
}
