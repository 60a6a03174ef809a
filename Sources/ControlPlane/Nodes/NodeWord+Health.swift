import CFastPathABI
package import Health
import IPNetworks
import Steering

extension NodeCondition {
    /// What takes the place of a word: its version is the next one, so that no two words of a node in a row are the same.
    func word(after word: UInt64) -> UInt64 { self.word(version: (nc_word_version(word) + 1) & 0xffff) }

    /// Whether a word says the same.
    func matches(_ word: UInt64) -> Bool { self.word(version: nc_word_version(word)) == word }

    /// As packets read it (`bpf/abi/node.h`).
    func word(version: UInt32) -> UInt64 {
        let state: nc_node_state =
            switch self.state {
            case .up: NC_NODE_UP
            case .degraded: NC_NODE_DEGRADED
            case .down: NC_NODE_DOWN
            case .unknown: NC_NODE_UNKNOWN
            case .drained: NC_NODE_DRAINED
            case .maintenance: NC_NODE_MAINTENANCE
            }
        return nc_node_word(state.rawValue, UInt32(share), ttl, version)
    }
}

extension NodeConditions {
    /// The first words of a node; `earlier`: what an earlier run wrote for it.
    func words(following earlier: WordsOfNode?) -> WordsOfNode {
        func word(_ family: IPFamily?) -> UInt64 {
            self[family].word(version: earlier.map { nc_word_version($0[family]) } ?? 0)
        }
        return WordsOfNode(any: word(nil), v4: word(.v4), v6: word(.v6))
    }
}

extension HealthState {
    /// The state that a node word holds.
    package init(word: UInt64) {
        switch nc_word_state(word) {
        case NC_NODE_UP.rawValue: self = .up
        case NC_NODE_DEGRADED.rawValue: self = .degraded
        case NC_NODE_DOWN.rawValue: self = .down
        case NC_NODE_DRAINED.rawValue: self = .drained
        case NC_NODE_MAINTENANCE.rawValue: self = .maintenance
        default: self = .unknown
        }
    }
}
