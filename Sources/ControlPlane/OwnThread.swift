import Foundation

/// Runs what blocks or computes for long on a thread of its own: the threads that tasks share are as few as the cores.
///
/// - Parameter stackSize: in bytes; `nil`: the system's choice.
package func onOwnThread<Value: Sendable>(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value) async -> Value
{
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        if let stackSize { thread.stackSize = stackSize }
        thread.start()
    }
}
