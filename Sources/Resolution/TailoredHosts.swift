import DNSWire
import Synchronization

/// The hosts that tailored records point to, and the names of these records. Their replies change with the hosts' data.
package final class TailoredHosts: Sendable {
    /// Names that share the same hosts.
    package struct Group: Sendable {
        /// In lower case.
        package let hosts: [[UInt8]]
        /// Indices among the model's tailored records.
        package fileprivate(set) var names: [Int]
    }

    private let records: [TailoredRecords]
    /// Built when zones change for the first time.
    private let made = Mutex<[Group]?>(nil)

    init(_ records: [TailoredRecords]) { self.records = records }

    package var groups: [Group] {
        made.withLock { made in
            if let made { return made }
            let groups = group()
            made = groups
            return groups
        }
    }

    private func group() -> [Group] {
        var groups: [Group] = []
        // Names with the same pool and policy nearly always share their hosts.
        var known: [String: [(hosts: [Int: [UInt8]], group: Int)]] = [:]
        for (index, records) in records.enumerated() {
            let hosts: [Int: [UInt8]]
            switch records.content {
            case .alias(_, let all), .exchanges(_, _, let all): hosts = all
            case .services(let services, _):
                hosts = Dictionary(services.map { ($0.slot, Array($0.host)) }, uniquingKeysWith: { first, _ in first })
            case .binding, .texts: continue
            }
            if let found = known[records.pool]?.first(where: { $0.hosts == hosts }) {
                groups[found.group].names.append(index)
                continue
            }
            known[records.pool, default: []].append((hosts, groups.count))
            let wires = Set(hosts.values.map { $0.map(DomainName.lowercased) })
            groups.append(Group(hosts: Array(wires), names: [index]))
        }
        return groups
    }
}
