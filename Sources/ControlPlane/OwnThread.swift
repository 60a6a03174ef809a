import LinuxSupport

/// Runs what blocks or computes for long on a thread of its own: the threads that tasks share are as few as the cores.
///
/// Where the system has no thread left, it runs on the caller's: late is better than never.
///
/// - Parameter stackSize: in bytes; `nil`: the system's choice.
package func onOwnThread<Value: Sendable>(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value) async -> Value
{
    await withCheckedContinuation { continuation in
        do throws(SystemError) {
            try startThread(named: "control plane", stackBytes: stackSize) { continuation.resume(returning: body()) }
        } catch { continuation.resume(returning: body()) }
    }
}
