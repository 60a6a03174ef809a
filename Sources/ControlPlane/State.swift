package import ConfigurationModel
import Foundation
import ModelCompiler
import Synchronization

/// Everything that is known of the daemon, as one immutable value. Status, metrics and explanations are functions of it.
package struct DaemonState: Sendable {
    package var served: Served
    package var reloads = ReloadHistory()
    /// Raised with each reload that ended.
    package var revision = 0
    /// Sound in itself, but what it names could not be loaded by the last reload.
    package var refused: ServerConfiguration?
    package var fastPath = FastPathView()
    package var nodes: NodesView?

    package init(served: Served) { self.served = served }

    /// Whether what serves is of files as they are now. Not asked after a refusal, which would come again.
    package var isUpToDate: Bool {
        guard served.loaded.configuration.watch, reloads.lastIsRefused != true else { return true }
        return served.isUpToDate
    }
}

/// Where the state is published: each owner replaces its part when that changes, and anybody reads the whole.
package final class StateCell: Sendable {
    private let state: Mutex<DaemonState>

    package init(_ state: DaemonState) { self.state = Mutex(state) }

    package var current: DaemonState { state.withLock { $0 } }

    /// The change must be quick: readers wait for it.
    package func update(_ change: @Sendable (inout DaemonState) -> Void) { state.withLock { change(&$0) } }
}
