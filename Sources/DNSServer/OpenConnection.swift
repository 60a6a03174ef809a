import ConnectionLimits
import IPNetworks
import NIOCore
import Synchronization

/// One connection that has a place, from its acceptance on: for a moment it has no channel yet.
package final class OpenConnection: Sendable {
    private enum State {
        case accepted
        case open(any Channel)
        case shut
    }

    private let state = Mutex(State.accepted)
    private let ended = Atomic<Bool>(false)

    /// The channel, once there is one.
    var channel: (any Channel)? {
        state.withLock { state in
            if case .open(let channel) = state { channel } else { nil }
        }
    }

    /// Closes the connection at once, from any thread; if it has no channel yet, as soon as it has.
    func shut() {
        let channel = state.withLock { state -> (any Channel)? in
            defer { state = .shut }
            return if case .open(let channel) = state { channel } else { nil }
        }
        if let channel { ConnectionDoor.shut(channel) }
    }

    /// - Returns: true at the first call.
    func end() -> Bool { !ended.exchange(true, ordering: .relaxed) }

    /// - Returns: false when the connection lost its place meanwhile.
    func attach(_ channel: any Channel) -> Bool {
        state.withLock { state in
            guard case .accepted = state else { return false }
            state = .open(channel)
            return true
        }
    }
}
