import ConnectionLimits
import IPNetworks
import NIOCore
import Synchronization

/// A connection that has a place, from its acceptance on. At first it has no channel yet.
package final class OpenConnection: Sendable {
    private enum State {
        case accepted
        case open(any Channel)
        case shut
    }

    private let state = Mutex(State.accepted)
    private let ended = Atomic<Bool>(false)

    /// The channel, once it exists.
    var channel: (any Channel)? {
        state.withLock { state in
            if case .open(let channel) = state { channel } else { nil }
        }
    }

    /// Closes the connection at once, from any thread. If it has no channel yet, it is closed as soon as it has one.
    func shut() {
        let channel = state.withLock { state -> (any Channel)? in
            defer { state = .shut }
            return if case .open(let channel) = state { channel } else { nil }
        }
        if let channel { ConnectionDoor.shut(channel) }
    }

    /// - Returns: true on the first call.
    func end() -> Bool { !ended.exchange(true, ordering: .relaxed) }

    /// - Returns: false when the connection has lost its place meanwhile.
    func attach(_ channel: any Channel) -> Bool {
        state.withLock { state in
            guard case .accepted = state else { return false }
            state = .open(channel)
            return true
        }
    }
}
