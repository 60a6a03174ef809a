import DNSWire
import Zones

extension Resolver {
    /// Writes the DNAME and the CNAME synthesised from it, and loads the new name (RFC 6672, section 3.2). Returns a
    /// verdict if the answer ends here.
    ///
    /// - Parameters:
    ///   - node: The owner of the DNAME, an ancestor of the name.
    ///   - original: The query name in its original case.
    func redirect(
        _ zone: Zone, _ node: Int, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ original: UnsafeRawBufferPointer,
        _ name: inout LookupName, _ reply: inout ZoneReply
    ) -> Verdict? {
        guard reply.append(zone, node, set, to: .answer) else { return reply.truncate() }
        let kept = original.count - zone.names.withName(at: node) { $0.count }
        let targetLength = Int(set.data.count) - 2
        guard kept + targetLength <= DomainName.maximumLength else {
            reply.writer.responseCode = .yxDomain
            return .yxDomain
        }
        return withUnsafeTemporaryAllocation(byteCount: 2 + kept + targetLength, alignment: 1) { data in
            data[0] = 0
            data[1] = UInt8(kept + targetLength)
            data[2...].copyBytes(from: original.prefix(kept))
            zone.withData(set) { data[(2 + kept)...].copyBytes(from: $0.dropFirst(2)) }
            // The synthesised CNAME is not signed (RFC 6672, section 5.3.1).
            let written = reply.writer.appendRRset(
                owner, type: .cname, ttl: set.ttl, data: UnsafeRawBufferPointer(data), to: .answer)
            guard written else { return reply.truncate() }
            name.load(UnsafeRawBufferPointer(rebasing: data[2...]))
            return nil
        }
    }
}
