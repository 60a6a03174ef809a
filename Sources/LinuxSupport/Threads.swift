import CLinux
import Glibc
import Synchronization
import SystemPackage

// Tasks share only as many threads as there are cores, so blocking and long computations get threads of their own.
// These functions create them.
//
//     startThread ── runs on its own
//     onThread ───── suspends the caller until the result is available
//     joinThread ─── blocks the caller's thread

/// Starts a thread, which ends with `body`.
///
/// - Parameters:
///   - name: shown by `ps -L`. Linux keeps 15 bytes.
///   - stackBytes: at least 16 KiB. `nil`: the system's default, usually 8 MiB.
/// - Throws: when the system cannot create a thread.
public func startThread(
    named name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
) throws(SystemError) {
    pthread_detach(try makeThread(name, stackBytes, body))
}

/// Runs `body` on its own thread and returns its result. The caller is suspended and holds no thread meanwhile.
///
/// - Parameters: as of ``startThread(named:stackBytes:_:)``.
/// - Throws: a `SystemError` when the system cannot create a thread, and what `body` throws.
public func onThread<Value: Sendable>(
    named name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do throws(SystemError) {
            try startThread(named: name, stackBytes: stackBytes) { continuation.resume(with: Result { try body() }) }
        } catch { continuation.resume(throwing: error) }
    }
}

/// Runs `body` on its own thread and waits for it: for effects that belong to a thread and must not stay with the
/// caller's, such as a network namespace. Blocks.
///
/// - Parameters: as of ``startThread(named:stackBytes:_:)``.
/// - Throws: a `SystemError` when the system cannot create a thread, and what `body` throws.
public func joinThread<Value: Sendable>(
    named name: String, stackBytes: Int? = nil, _ body: @Sendable () throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    try withoutActuallyEscaping(body) { body in
        let thread = try makeThread(name, stackBytes) { outcome.set(Result { try body() }) }
        pthread_join(thread, nil)
    }
    return try outcome.get()
}

/// The result of a thread, set before it ends and read after it was joined.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { preconditionFailure("a thread that was joined has ended") }
        return try result.get()
    }
}

private final class ThreadWork: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

/// - Returns: the thread, to be joined or detached.
private func makeThread(
    _ name: String, _ stackBytes: Int?, _ body: @escaping @Sendable () -> Void
) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackBytes { try check("pthread_attr_setstacksize", pthread_attr_setstacksize(&attributes, stackBytes)) }
    let work = Unmanaged.passRetained(ThreadWork(name, body))
    var thread = pthread_t()
    let failure = pthread_create(&thread, &attributes, runThread, work.toOpaque())
    if failure != 0 { work.release() }
    try check("pthread_create \(name)", failure)
    return thread
}

/// POSIX threads return the error number itself.
private func check(_ call: @autoclosure () -> String, _ failure: CInt) throws(SystemError) {
    guard failure == 0 else { throw SystemError(call: call(), errno: Errno(rawValue: failure)) }
}

// A free function: a closure made in `main` would inherit the main actor and trap on another thread.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let work = Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
    linux_name_thread(work.name)
    work.body()
    return nil
}
