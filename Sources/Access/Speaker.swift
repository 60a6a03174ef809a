/// Who sends a statement, as far as it is known.
public enum Speaker: Hashable, Sendable {
    /// Who may write to the control socket, and so command the daemon.
    case local
    /// A node; `nil`: any of them.
    case node(String?)
    /// A check elsewhere, by name.
    case agent(String)
    /// A program that acts for people, by name.
    case automation(String)
    /// Another vantage point, by name.
    case observer(String)
}
