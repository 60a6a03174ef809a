import CLinux
import Glibc

/// Runs `body` in the network namespace open at `path` (`/run/netns/lab`, `/proc/123/ns/net`) and gives its result.
///
/// On a thread of its own that ends with it: a namespace belongs to a thread, and one of a pool would carry it on to
/// other work. Descriptors made inside, such as links and sockets, keep working outside. Blocks the caller.
public func inNetworkNamespace<T: Sendable>(_ path: String, _ body: @Sendable () throws -> T) throws -> T {
    let file = Descriptor(owning: try checkErrno("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
    return try withoutActuallyEscaping(body) { body in
        let work = NamespaceWork<T>(namespace: file, body: body)
        var thread = pthread_t()
        let failed = pthread_create(
            &thread, nil, runNamespaceWork, Unmanaged<AnyNamespaceWork>.passRetained(work).toOpaque())
        guard failed == 0 else {
            Unmanaged<AnyNamespaceWork>.passUnretained(work).release()
            throw BPFError(call: "pthread_create", errno: failed)
        }
        pthread_join(thread, nil)
        guard let result = work.result else { throw BPFError(call: "pthread_join", errno: ESRCH) }
        return try result.get()
    }
}

/// The start routine, in a nonisolated function: a closure would inherit the main actor where its maker has it, and
/// trap on another thread.
private func runNamespaceWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context {
        Unmanaged<AnyNamespaceWork>.fromOpaque(context).takeRetainedValue().run()
    }
    return nil
}

/// What a thread of any result type is started with.
private class AnyNamespaceWork {
    func run() {}
}

/// The work and, once the thread has been joined, its result.
private final class NamespaceWork<T>: AnyNamespaceWork {
    private let namespace: Descriptor
    private let body: () throws -> T
    private(set) var result: Result<T, any Error>?

    init(namespace: Descriptor, body: @escaping () throws -> T) {
        self.namespace = namespace
        self.body = body
    }

    override func run() {
        result = Result {
            try check("setns") { linux_enter_network_namespace(namespace.number) }
            return try body()
        }
    }
}
