package import ConfigurationModel
import Foundation
import ModelCompiler
import Synchronization

/// The published state of the daemon, as one immutable value. Status, metrics and explanations are functions of it.
package struct DaemonState: Sendable {
    package var served: Served
    package var reloads = ReloadHistory()
    /// Raised with each reload that ended.
    package var revision = 0
    /// The configuration that was read last, until it is served: it is valid, but a file that it names may not be.
    package var refused: ServerConfiguration?
    package var fastPath = FastPathView()
    package var nodes: NodesView?
    /// The addresses that are listened on, but wildcards, in the configuration's order.
    package var listenAddresses: [ListenAddress] = []
    /// In the configuration's order.
    package var aliases: [AliasState] = []

    package init(served: Served) { self.served = served }

    /// Whether the files are still those that are served. True after a refusal, because a reload would be refused again.
    package var isUpToDate: Bool {
        guard served.loaded.configuration.watch != .ignore, reloads.lastIsRefused != true else { return true }
        return served.isUpToDate
    }
}

/// Where the state is published. Each owner replaces its part when it changes, and every reader gets the whole.
package final class StateCell: Sendable {
    private let state: Mutex<DaemonState>

    package init(_ state: DaemonState) { self.state = Mutex(state) }

    package var current: DaemonState { state.withLock { $0 } }

    /// The change must be quick: readers wait for it.
    package func update(_ change: @Sendable (inout DaemonState) -> Void) { state.withLock { change(&$0) } }
}
