import CFastPathABI
import DNSWire
import Resolution
import Steering

/// Random names with tailored records: of any depth, with hosts that share labels with them or with each other.
public struct DrawnRecords {
    struct Host {
        let name: String
        let type: RecordType
        let data: [UInt8]
    }

    struct Entry {
        let name: String
        let type: RecordType
        let hosts: [String]
        let hasAddresses: Bool
    }

    private(set) var hosts: [Host] = []
    private(set) var entries: [Entry] = []

    /// What may be asked for.
    public var names: [String] { entries.map(\.name) }

    private static let labels = ["a", "b", "Edge", "nodes", "x1", "com", "example", "longer-than-others"]

    public init(count: Int, _ random: inout some RandomNumberGenerator) {
        for number in 0..<count {
            let depth = Int.random(in: 0...3, using: &random) == 0 ? 9 : 2
            let inner = (0..<Int.random(in: 0...depth, using: &random)).map { _ in Self.label(&random) }
            let labels = ["q\(number)"] + inner + ["example", "com"]
            let type = [RecordType.cname, .cname, .srv, .srv, .https].randomElement(using: &random) ?? .cname
            // The more alike hosts are the more they are compressed against each other.
            let shared = Self.host(of: labels, &random)
            let names = (0..<Int.random(in: 1...6, using: &random)).map { node in
                let parent = Bool.random(using: &random) ? shared : Self.host(of: labels, &random)
                return (["h\(number)n\(node)"] + parent).joined(separator: ".")
            }
            for name in names where name.lowercased().hasSuffix("example.com") { addData(of: name, number, &random) }
            entries.append(
                Entry(
                    name: labels.joined(separator: "."), type: type, hosts: names,
                    hasAddresses: type == .https && number % 10 == 0))
        }
    }

    private static func label(_ random: inout some RandomNumberGenerator) -> String {
        labels.randomElement(using: &random) ?? "a"
    }

    /// What a host lies below: the name, a part of its end, or something else.
    private static func host(of name: [String], _ random: inout some RandomNumberGenerator) -> [String] {
        let inner = (0..<Int.random(in: 0...2, using: &random)).map { _ in label(&random) }
        switch Int.random(in: 0...3, using: &random) {
        case 0: return inner + ["nodes", "example", "com"]
        case 1: return inner + ["org"]
        default: return inner + name.dropFirst(Int.random(in: 0..<name.count - 1, using: &random))
        }
    }

    private mutating func addData(of name: String, _ number: Int, _ random: inout some RandomNumberGenerator) {
        for count in 0..<Int.random(in: 0...2, using: &random) {
            hosts.append(Host(name: name, type: .a, data: [192, 0, UInt8(10 + count), UInt8(number % 250)]))
        }
        guard Bool.random(using: &random) else { return }
        hosts.append(Host(name: name, type: .aaaa, data: Array(repeating: UInt8(number % 250), count: 16)))
    }
}

extension SampleModel.Plan {
    mutating func add(_ drawn: DrawnRecords) throws {
        keys.append(
            SteeringKey(members: everyone.prefix(6).map { $0 }, tolerance: Tolerance(), family: nil))
        let chain = SteeringChain(steps: [.init(table: keys.count - 1)], isOpen: true)
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 300, answers: 1, all_down: UInt8(NC_ALL_DOWN_OPEN.rawValue), ecs: 1, reserved: 0)
        for entry in drawn.entries {
            if entry.hasAddresses { add(entry.name, Array(everyone.prefix(6)), answers: 1) }
            let name = try DomainName(entry.name)
            let hosts = try entry.hosts.enumerated().map { (nodes[$0].slot, try DomainName($1)) }
            let all = (0..<6).map { (nodes[$0].slot, hosts[$0 % hosts.count].1.wire) }
            let choice = tailored.first { $0.name == name }?.choice ?? tailored.first?.choice
            let content: TailoredRecords.Content =
                switch entry.type {
                case .srv:
                    .services(
                        hosts.map { .init(slot: $0, priority: 1, weight: 256, port: 443, host: $1) }, fallback: [])
                case .https:
                    .binding(
                        type: .https, v4: choice?.v4, v6: choice?.v6,
                        prefix: TailoredRecords.bindingPrefix(port: nil, protocols: ["h3"]))
                default: .alias(chain, hosts: Dictionary(uniqueKeysWithValues: all))
                }
            records.append(
                TailoredRecords(
                    name: name, rule: rule, content: content, pool: "pool", policy: "policy"))
        }
    }
}
