import CFastPathABI
import DNSWire

/// A reply with tailored records other than addresses: what of it stands ready for every node, and how nodes are chosen.
final class MadeReply: Sendable {
    enum Content: Sendable {
        /// The reply that the one node of `table` gives who is chosen, by slot. Its first record is the alias, of TTL 0: the real
        /// one comes of choosing.
        case alias(table: Int, replies: [Int: RenderedReply])
        /// SRV: the records of the usable nodes, in this order, then what stands beside them, in the same.
        case services([Member])
        /// One record of `type`, whose RDATA goes on behind `prefix` with the addresses of the nodes chosen from a table for each
        /// family that has one.
        ///
        /// - Parameter hasAddresses: whether these are the name's own addresses, which stand in the additional section.
        case binding(type: RecordType, prefix: [UInt8], v4: Int?, v6: Int?, hasAddresses: Bool)
    }

    /// The record of a node, and the addresses of its host.
    struct Member: Hashable, Sendable {
        let slot: Int
        /// Two bytes of length in network order and the RDATA.
        let data: [UInt8]
        /// In the additional section; nil: none.
        let beside: Beside?
    }

    /// Records that stand together anywhere in the additional section.
    struct Beside: Hashable, Sendable {
        let records: Int
        let body: [UInt8]
        /// Where in `body` pointers stand that are less by the length of the question's name: to that name, or to `body`'s begin
        /// as if it stood right behind the question.
        let pointers: [(place: Int, isToQuestion: Bool)]

        static func == (left: Beside, right: Beside) -> Bool {
            left.records == right.records && left.body == right.body
                && left.pointers.elementsEqual(right.pointers, by: ==)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(records)
            hasher.combine(body)
        }
    }

    let rule: nc_rule
    /// Whether senders in views get other records.
    let isByView: Bool
    let content: Content

    init(rule: nc_rule, isByView: Bool, content: Content) {
        self.rule = rule
        self.isByView = isByView
        self.content = content
    }
}
