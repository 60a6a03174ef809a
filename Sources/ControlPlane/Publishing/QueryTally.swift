package import DNSServer
package import Resolution
package import Telemetry

/// What user space was asked and how it answered, counted for each query: one addition, without a lock.
package struct QueryTally: Sendable {
    private static let transports = ["udp", "tcp", "tls"]
    /// Types that are counted by name; all others, and queries without a question, are `other`.
    private static let types = [
        "A", "NS", "CNAME", "SOA", "PTR", "MX", "TXT", "AAAA", "SRV", "SVCB", "HTTPS", "ANY",
    ]
    private static let typeCount = types.count + 1
    /// By value, then the two beyond the header's four bits, others, and no reply.
    private static let rcodes = [
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "BADVERS", "BADCOOKIE", "other",
    ]
    private static let silent = rcodes.count
    private static let rcodeCount = rcodes.count + 1

    private let cells = CounterTable(count: transports.count * typeCount * rcodeCount)

    package init() {}

    package func count(
        _ packet: UnsafeRawBufferPointer, _ transport: DNSServer.Transport, _ verdict: Verdict, _ reply: [UInt8]
    ) {
        let carrier =
            switch transport {
            case .udp: 0
            case .tcp: 1
            case .tls: 2
            }
        cells.add(
            to: (carrier * Self.typeCount + Self.typeIndex(packet)) * Self.rcodeCount + Self.rcode(verdict, reply))
    }

    private static func rcode(_ verdict: Verdict, _ reply: [UInt8]) -> Int {
        guard reply.count >= 12 else { return silent }
        switch verdict {
        // Their upper bits are in the OPT record (RFC 6891, section 6.1.3).
        case .badVers: return 7
        case .badCookie: return 8
        default: return (reply[3] & 15) < 7 ? Int(reply[3] & 15) : 9
        }
    }

    /// The index of the question's type. Questions have no compressed names.
    private static func typeIndex(_ packet: UnsafeRawBufferPointer) -> Int {
        guard packet.count > 12, packet[4] | packet[5] != 0 else { return types.count }
        var position = 12
        while position < packet.count, packet[position] != 0 {
            guard packet[position] < 64 else { return types.count }
            position += Int(packet[position]) + 1
        }
        guard position + 2 < packet.count else { return types.count }
        return index(of: UInt16(packet[position + 1]) << 8 | UInt16(packet[position + 2]))
    }

    /// In the order of `types`.
    private static func index(of type: UInt16) -> Int {
        switch type {
        case 1: 0
        case 2: 1
        case 5: 2
        case 6: 3
        case 12: 4
        case 15: 5
        case 16: 6
        case 28: 7
        case 33: 8
        case 64: 9
        case 65: 10
        case 255: 11
        default: 12
        }
    }

    /// Every series, also those without a query.
    package var metrics: [MetricSample] {
        var samples: [MetricSample] = []
        for (carrier, transport) in Self.transports.enumerated() {
            for rcode in Self.rcodes.indices {
                let count = (0..<Self.typeCount).reduce(0) { $0 + cell(carrier, $1, rcode) }
                samples.append(
                    MetricSample(
                        "nearcast_slow_path_replies_total", .counter,
                        help: "Replies of user space, by rcode. The XDP program counts its replies by verdict only.",
                        labels: ["transport": transport, "rcode": Self.rcodes[rcode]], value: Double(count)))
            }
            for type in 0..<Self.typeCount {
                let count = (0..<Self.rcodeCount).reduce(0) { $0 + cell(carrier, type, $1) }
                samples.append(
                    MetricSample(
                        "nearcast_slow_path_questions_total", .counter,
                        help: "Queries that user space saw, by type. The XDP program does not count types.",
                        labels: [
                            "transport": transport, "type": type < Self.types.count ? Self.types[type] : "other",
                        ], value: Double(count)))
            }
        }
        return samples
    }

    private func cell(_ carrier: Int, _ type: Int, _ rcode: Int) -> UInt64 {
        cells[(carrier * Self.typeCount + type) * Self.rcodeCount + rcode]
    }
}
