import CFastPathABI
package import Foundation
package import Health
package import HealthChecks
package import IPNetworks
package import Steering

/// What is known of one node apart from its health.
package struct NodeEntry: Sendable {
    package var node: SteeringNode
    package var changedAt: Date?
    /// Who made the override that decides, and why.
    package var setBy: String?
    /// What each check saw last.
    package var results: [Check: ProbeReport] = [:]
    /// What it last reported of its load; `nil`: nothing since the start.
    package var reported: NodeMetrics?
}

/// The nodes as they are at one moment.
package struct NodesView: Sendable {
    package let entries: [String: NodeEntry]
    package let fleet: Fleet
    package let observers: Observers
    /// How many changes of state this process made.
    package let transitions: Int
    /// What packets read now, which may be later than the view.
    package let words: any WordStore

    /// - Parameter family: of the answers that the word is for; `nil`: those without an address.
    package func word(of entry: NodeEntry, _ family: IPFamily? = nil) -> UInt64 {
        words.word(entry.node.slot, family)
    }
}

/// The words and census counts that both paths read. ``NodeWords`` is the memory; a test may watch the order of stores.
package protocol WordStore: Sendable {
    func word(_ slot: Int, _ family: IPFamily?) -> UInt64
    func store(_ slot: Int, _ family: IPFamily?, _ word: UInt64)
    func storeIDHash(_ slot: Int, _ hash: UInt64)
    func storeCensus(generation: Int, table: Int, _ census: UInt64)
}

extension NodeWords: WordStore {}
