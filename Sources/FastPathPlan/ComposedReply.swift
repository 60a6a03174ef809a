import CFastPathABI
import DNSWire

/// A reply with tailored records other than addresses: its parts for every node, and how nodes are chosen.
final class ComposedReply: Sendable {
    enum Content: Sendable {
        /// CNAME, TXT or MX: for each node of `table`, by slot, the reply if that node is chosen. Its first RRset is the
        /// node's, with TTL 0; the selection decides the real TTL.
        case byNode(table: Int, replies: [Int: RenderedReply])
        /// SRV: the records of the usable nodes, in this order, followed by their additional records, in the same
        /// order.
        case services([Member])
        /// HTTPS or SVCB: one record of `type`. Its RDATA is `prefix`, followed by hints with the addresses of the
        /// nodes that are chosen from a table per family.
        ///
        /// - Parameter hasAddresses: whether these are also the name's own addresses, which are then in the additional
        ///   section.
        case binding(type: RecordType, prefix: [UInt8], v4: Int?, v6: Int?, hasAddresses: Bool)
        /// A or AAAA, by the type of the query: the addresses of the nodes that are chosen from the table of the
        /// family. Only for names below a wildcard, because other names have these tables in their entries.
        case addresses(v4: Int?, v6: Int?)
    }

    /// The record of a node, and the addresses of its host.
    struct Member: Hashable, Sendable {
        let slot: Int
        /// A two-byte length in network order, then the RDATA.
        let data: [UInt8]
        /// Additional records for its host; nil: none.
        let additional: AdditionalRecords?
    }

    /// Adjacent records that may be placed anywhere in the additional section.
    struct AdditionalRecords: Hashable, Sendable {
        let records: Int
        let body: [UInt8]
        /// Offsets in `body` of compression pointers, and what they point to: the question's name, or `body` as if it
        /// followed the question directly. They are stored less the length of the question's name.
        let pointers: [(place: Int, isToQuestion: Bool)]

        static func == (left: AdditionalRecords, right: AdditionalRecords) -> Bool {
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
