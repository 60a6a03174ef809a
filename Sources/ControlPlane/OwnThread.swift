import LinuxSupport

/// Runs what blocks or computes for long on a thread of its own: the threads that tasks share are as few as the cores.
///
/// Where the system has no thread left, it runs on the caller's: late is better than never.
///
/// - Parameter stackSize: in bytes; `nil`: the system's choice.
package func onOwnThread<Value: Sendable>(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value) async -> Value
{
    do { return try await onThread(named: "control plane", stackBytes: stackSize, body) } catch { return body() }
}
