public import IPNetworks

/// One endpoint of `listen`.
public struct ListenSettings: Sendable {
    public let endpoint: SocketEndpoint
    public let mark: DocumentLocation
}

/// An absolute path and the location of its setting. For a default: the location of the enclosing mapping.
public struct PathSetting: Sendable {
    public let path: String
    public let mark: DocumentLocation
}

/// `fast_path`: where and how the XDP program is attached.
public struct FastPathSettings: Sendable {
    /// At least one, unless `mode` is `off`. No duplicates.
    public let interfaces: [InterfaceSettings]
    public let mode: Mode
    public let onExit: ExitAction
    /// Nil: the program's answers never become stale.
    public let stale: StaleSettings?
    /// Whether the program answers queries with a COOKIE option.
    public let answersCookies: Bool
    /// Whether the program answers queries that ask for NSID.
    public let answersIdentifier: Bool
    /// Whether the program answers frames with VLAN tags.
    public let answersTagged: Bool
    /// Whether the program truncates replies that are too long for the client.
    public let cutsReplies: Bool
    /// Whether the program applies `rate_limit`.
    public let limitsRate: Bool
    /// Queries per second that one CPU passes to user space. `nil`: no limit.
    public let passedPerSecond: Int?
    /// Whether queries beyond that are only counted.
    public let isPassedDryRun: Bool
    public let mark: DocumentLocation

    /// Whether user space answers everything, as configured.
    public var isOff: Bool { mode == .off || interfaces.isEmpty }

    /// How the program is attached.
    public enum Mode: String, Sendable, CaseIterable {
        /// In the driver if it supports XDP, otherwise in the kernel's generic hook, otherwise not at all. The choice
        /// is logged.
        case auto
        /// In the driver or not at all.
        case native
        /// In the kernel's generic hook or not at all.
        case generic
        /// User space answers everything.
        case off
    }

    /// What happens to the program when the daemon stops cleanly.
    public enum ExitAction: String, Sendable, CaseIterable {
        /// The program stays pinned and continues to answer.
        case keep
        /// The program is detached and its maps are removed.
        case detach
    }
}

/// `fast_path.stale`: what the program does when the daemon is gone.
public struct StaleSettings: Sendable, Equatable {
    /// The time without a heartbeat from the daemon, 5 s to an hour.
    public let afterMilliseconds: Int
    /// The TTL limit of addresses from then on, in seconds, 1 to 3600.
    public let ttl: UInt32

    public init(afterMilliseconds: Int, ttl: UInt32) {
        self.afterMilliseconds = afterMilliseconds
        self.ttl = ttl
    }
}

/// An interface of `fast_path.interfaces`. Its name is valid in Linux.
public struct InterfaceSettings: Sendable {
    public let name: String
    public let mark: DocumentLocation
}
