import ServiceLifecycle

/// Lets time pass in a service.
///
/// - Returns: false when the service is to end.
package func pause(for duration: Duration) async -> Bool {
    do {
        try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
        return true
    } catch {
        return false
    }
}
