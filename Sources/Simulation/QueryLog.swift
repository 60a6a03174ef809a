public import DNSWire
public import IPNetworks

/// A log of queries to replay, one query per line: `CLIENT [NAME [TYPE]]`.
///
/// CLIENT is the sender's address, or a client subnet such as `192.0.2.0/24`. Empty lines and lines that begin with `#`
/// are skipped.
public struct QueryLog: Sendable {
    /// Clients with their number of queries, ordered by first appearance.
    public let groups: [ClientGroup]
    /// Number of queries for other names or types than the simulated one.
    public let others: Int

    /// What is wrong with a line.
    public struct Problem: Error, Hashable, Sendable {
        /// From 1.
        public let line: Int
        /// Says how to correct it.
        public let text: String
    }

    /// - Parameters:
    ///   - text: the contents of the file.
    ///   - name: the simulated name. Lines with another name are only counted; lines without a name mean this one.
    ///   - family: the simulated type, A or AAAA; lines with another type are only counted.
    public init(_ text: String, name: DomainName, family: IPFamily) throws(Problem) {
        var counts: [ClientGroup: UInt64] = [:]
        var order: [ClientGroup] = []
        var others = 0
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let fields = line.split(whereSeparator: { [0x20, 0x09, 0x0D].contains($0) }).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let client = fields.first, !client.hasPrefix("#") else { continue }
            guard fields.count <= 3 else {
                throw Problem(
                    line: index + 1, text: "has \(fields.count) words, expected CLIENT [NAME [TYPE]]: remove the others"
                )
            }
            guard let group = Self.group(client) else {
                throw Problem(
                    line: index + 1,
                    text:
                        "begins with \"\(client)\", expected an address or a prefix without host bits, as 192.0.2.0/24")
            }
            guard try Self.isMeant(fields.dropFirst(), name, family, line: index + 1) else {
                others += 1
                continue
            }
            if counts[group] == nil { order.append(group) }
            counts[group, default: 0] += 1
        }
        groups = order.map { ClientGroup(sender: $0.sender, subnet: $0.subnet, weight: counts[$0] ?? 0) }
        self.others = others
    }

    private static func group(_ client: String) -> ClientGroup? {
        if let address = IPAddress(client) { return ClientGroup(sender: address, weight: 1) }
        return IPPrefix(client).map {
            let subnet = ClientSubnet(address: $0.address, sourceLength: UInt8($0.length))
            return ClientGroup(sender: $0.address, subnet: subnet, weight: 1)
        }
    }

    private static func isMeant(
        _ fields: ArraySlice<String>, _ name: DomainName, _ family: IPFamily, line: Int
    ) throws(Problem) -> Bool {
        guard let text = fields.first else { return true }
        guard let asked = try? DomainName(text) else {
            throw Problem(line: line, text: "names \"\(text)\", which is not a domain name: correct it")
        }
        guard let type = fields.dropFirst().first else { return asked == name }
        return asked == name && type.uppercased() == (family == .v4 ? "A" : "AAAA")
    }
}
