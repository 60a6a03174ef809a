import CFastPathABI
import DNSWire
import Resolution
import Zones

/// Renders SRV replies in parts.
extension StaticRenderer {
    /// The records of a name (in lower case), node by node; `nil` if one node's part depends on which other nodes are
    /// present.
    func services(_ records: TailoredRecords, _ wire: [UInt8]) -> ComposedReply? {
        guard case .services(let services, let fallback) = records.content, !services.isEmpty else { return nil }
        var members: [ComposedReply.Member] = []
        var hosts: [[UInt8]] = []
        for service in services {
            guard isServed(service.host) else {
                members.append(.init(slot: service.slot, data: service.data, additional: nil))
                continue
            }
            guard let member = member(service, wire) else { return nil }
            if member.additional != nil { hosts.append(service.host.map(DomainName.lowercased)) }
            members.append(member)
        }
        guard Self.areApart(hosts, from: wire) else { return nil }
        var rule = records.rule
        if !fallback.isEmpty { rule.all_down = UInt8(NC_ALL_DOWN_USER_SPACE.rawValue) }
        return ComposedReply(rule: rule, isByView: !records.views.isEmpty, content: .services(members))
    }

    private func isServed(_ host: ArraySlice<UInt8>) -> Bool {
        LookupName.withScratch { name in
            host.withUnsafeBytes { name.load($0) }
            return zone(of: name) != nil
        }
    }

    /// A node's part, rendered as a reply without other nodes.
    private func member(_ service: TailoredRecords.Service, _ wire: [UInt8]) -> ComposedReply.Member? {
        guard aliases.take(1) else { return nil }
        let set = TailoredRRset(type: .srv, data: service.data, ttl: 0, scope: 0)
        guard let reply = render(wire, .srv, deciding: set), !reply.isForUnsigned, !reply.isTooLong,
            reply.counts[0] == 1, reply.counts[1] == 0
        else { return nil }
        let start = reply.least
        guard reply.counts[2] > 0 else { return .init(slot: service.slot, data: service.data, additional: nil) }
        var body = Array(reply.body[start...])
        var pointers: [(place: Int, isToQuestion: Bool)] = []
        // The question's name is followed by its type and class.
        let behind = MessageHeader.length + 4
        for place in reply.movingPointers.map({ Int($0) - start }) {
            guard place >= 0 else { return nil }
            let pointer = Int(body[place]) << 8 | Int(body[place + 1])
            let isToQuestion = pointer - 0xC000 < behind
            if !isToQuestion {
                let moved = pointer - start
                guard moved == 0xC000 + behind else { return nil }
                (body[place], body[place + 1]) = (UInt8(moved >> 8), UInt8(moved & 255))
            }
            pointers.append((place, isToQuestion))
        }
        let additional = ComposedReply.AdditionalRecords(records: Int(reply.counts[2]), body: body, pointers: pointers)
        return .init(slot: service.slot, data: service.data, additional: additional)
    }

    /// Whether no two hosts have more labels in common than each has with `wire`. Then each host is compressed against
    /// `wire` alone, up to the number of labels that the writer remembers.
    private static func areApart(_ hosts: [[UInt8]], from wire: [UInt8]) -> Bool {
        let own = labels(wire)
        let all = hosts.map(labels)
        var remembered = min(own.count, 8)
        for (index, host) in all.enumerated() {
            let common = count(host, own)
            remembered += host.count - common
            for other in all[..<index] where count(host, other) > min(common, count(other, own)) { return false }
        }
        return remembered <= 32
    }

    /// The labels of a name, last one first.
    private static func labels(_ wire: [UInt8]) -> [ArraySlice<UInt8>] {
        var labels: [ArraySlice<UInt8>] = []
        var rest = wire[...]
        while let length = rest.first, length > 0 {
            labels.append(rest.dropFirst().prefix(Int(length)))
            rest = rest.dropFirst(1 + Int(length))
        }
        return labels.reversed()
    }

    /// Number of labels in common.
    private static func count(_ left: [ArraySlice<UInt8>], _ right: [ArraySlice<UInt8>]) -> Int {
        zip(left, right).prefix { $0.elementsEqual($1) }.count
    }
}
