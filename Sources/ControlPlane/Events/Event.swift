package import FastPathDriver
package import Foundation
package import IPNetworks
package import StateStore

/// Something that happened, as all readers see it: the log, the journal, and the streams of the API.
package struct Event: Sendable {
    /// Above the number of every event before, of this process and of earlier ones. Numbers may be missing.
    package let sequence: UInt64
    package let time: Date
    package let kind: Kind

    package init(sequence: UInt64, time: Date, kind: Kind) {
        self.sequence = sequence
        self.time = time
        guard case .node(var transition, let kept) = kind else {
            self.kind = kind
            return
        }
        (transition.sequence, transition.time) = (sequence, time.microseconds)
        self.kind = .node(transition, kept: kept)
    }

    package enum Kind: Sendable {
        /// A node changed its state. What the store keeps of it from then on is written with the transition, so that
        /// they cannot disagree.
        case node(NodeTransition, kept: KeptNode)
        /// Nodes that mass-failure protection keeps in rotation although their checks fail; none: it has ended.
        case nodesHeld([String])
        /// Maintenance waits, because the node is the last usable one of these pools.
        case maintenanceHeld(node: String, pools: [String])
        /// No node of a pool is usable: over a family, or at all.
        case poolEmpty(String, IPFamily?)
        case poolUsable(String, IPFamily?)
        case quorumLost(heard: [String])
        case quorumRegained
        case reloaded(ReloadOutcome)
        case reloadRefused(ReloadTrigger, problems: [String])
        case recordsChanged(RecordsChange)
        case change(ChangeNews)
        /// Changed names became part of the tables.
        case compacted(epoch: UInt64)
        case databaseLoaded(path: String, builtAt: Date)
        case attachment(Attachment)
        case interface(String, isUp: Bool)
        /// A driver cannot send replies of the program, or can again.
        case unsentReplies(UnsentReplies.News)
        /// An address that is listened on came to this host, or left it.
        case listenAddress(IPAddress, isOnHost: Bool)
        case handoverBegan(successor: Int32)
        case handoverLost(successor: Int32, DaemonLife.Loss)
        case tookOver(predecessor: Int32)
    }

    /// The transition of a node, when this is one.
    package var transition: NodeTransition? {
        if case .node(let transition, _) = kind { transition } else { nil }
    }
}

/// RRsets of one zone that changed together.
package struct RecordsChange: Hashable, Sendable {
    package let zone: String
    package let serial: UInt32
    /// How many RRsets changed.
    package let count: Int
    package let author: String?
    package let epoch: UInt64
}
