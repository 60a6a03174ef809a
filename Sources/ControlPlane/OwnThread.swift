import Foundation

/// Runs work that blocks or takes long on a thread of its own, because tasks share only as many threads as there are cores.
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
