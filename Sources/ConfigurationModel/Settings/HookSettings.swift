public import Health

/// A program that runs when a node changes its state.
public struct HookSettings: Hashable, Sendable {
    public let command: CommandProbe
    /// New states that it is called for.
    public let states: Set<HealthState>
    /// 10 ms to 60 s. It is killed then.
    public let timeoutMilliseconds: Int64
}
