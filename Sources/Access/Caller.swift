/// Who makes a request, by proof: the kernel identifies a local process, a token any other caller. What a request says about
/// its author proves nothing.
public enum Caller: Hashable, Sendable {
    /// A process that may write to the control socket, and so command the daemon.
    case account(LocalAccount)
    /// A node; `nil`: any of them.
    case node(String?)
    /// An external check, by name.
    case agent(String)
    /// A program that acts for operators, by name.
    case automation(String)
    /// Another vantage point, by name.
    case observer(String)

    /// What the caller may do. A token may only report for its own node or name; the operation checks that.
    public var rights: Set<Right> {
        switch self {
        case .account: Set(Right.allCases)
        case .node, .agent, .automation, .observer: [.report]
        }
    }
}

/// The process at the other end of a Unix socket, as the kernel named it when it connected (SO_PEERCRED, unix(7)).
public struct LocalAccount: Hashable, Sendable {
    /// The effective user.
    public let user: UInt32
    /// Of the user; `nil` where the machine has none.
    public let name: String?
    /// 0 for a process of another PID namespace.
    public let process: Int32

    public init(user: UInt32, name: String?, process: Int32) {
        (self.user, self.name, self.process) = (user, name, process)
    }
}

extension Caller: CustomStringConvertible {
    /// As in `uid 0 (root)` or `external watchtower`. Equal for two tokens of one name.
    public var description: String {
        switch self {
        case .account(let account): "uid \(account.user)" + (account.name.map { " (\($0))" } ?? "")
        case .node(let id?): "node \(id)"
        case .node(nil): "any node"
        case .agent(let name): "external \(name)"
        case .automation(let name): "automation \(name)"
        case .observer(let name): "observer \(name)"
        }
    }
}

extension Caller {
    /// The author that is recorded with a change: who the caller is, and behind a colon what it says about itself and
    /// its reasons, as in `uid 0 (root): alice, new disks`.
    public func author(remarks: String?...) -> String { Self.author(description, remarks: remarks) }

    /// The same, for a caller that is known by a name of its own.
    public static func author(_ name: String, remarks: [String?]) -> String {
        let said = remarks.compactMap(\.self).filter { !$0.isEmpty }
        return said.isEmpty ? name : "\(name): \(said.joined(separator: ", "))"
    }
}
