import ServiceLifecycle

/// Sleeps inside a service.
///
/// - Returns: false when the service should end.
package func pause(for duration: Duration) async -> Bool {
    do {
        try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
        return true
    } catch {
        return false
    }
}
