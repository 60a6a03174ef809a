import IPNetworks

/// A network of a list and its location.
struct Network {
    let prefix: IPPrefix
    let mark: DocumentLocation
}

/// Lists of networks, and addresses.
protocol NetworkRules: ValueRules {}

extension NetworkRules {
    /// A list of networks or single addresses without duplicates. An absent list is empty.
    func networks(_ declared: DeclaredList<String>, _ key: String, in scope: Scope) -> [Network] {
        guard let elements = list(declared, key, .networks(key), in: scope) else { return [] }
        let name = scope.name(key)
        limit(elements, to: ServerConfiguration.maximumNetworks, name, of: "entries")
        var first: [IPPrefix: DocumentLocation] = [:]
        return elements.compactMap { element in
            guard let prefix = network(element, name) else { return nil }
            if let earlier = first[prefix] {
                report(
                    element.location,
                    "\(name) has \(prefix) twice, first at \(earlier.reference(from: element.location))",
                    remedy: "remove one")
                return nil
            }
            first[prefix] = element.location
            return Network(prefix: prefix, mark: element.location)
        }
    }

    private func network(_ element: Located<String>, _ name: @autoclosure Words) -> IPPrefix? {
        guard let line = line(element, "an entry of \(name())", Expected.network) else { return nil }
        let text = line.value
        if let prefix = Self.prefix(text) { return prefix }
        let found = "\(name()) has \(line.quoted), expected \(Expected.network)"
        let parts = text.split(separator: "/", maxSplits: 1)
        if parts.count == 2, let address = IPAddress(parts[0]), let length = Int(parts[1]),
            (0...address.family.bitWidth).contains(length)
        {
            report(
                line.location, "\(found) whose bits after the first \(length) are zero",
                remedy: "write \(IPPrefix(address: address, length: length))")
            return nil
        }
        report(line.location, found, remedy: "write it like 192.0.2.0/24 or \"2001:db8::/32\"")
        return nil
    }

    /// A network. A single address counts as its host prefix.
    static func prefix(_ text: String) -> IPPrefix? {
        IPPrefix(text) ?? IPAddress(text).map { IPPrefix(address: $0, length: $0.family.bitWidth) }
    }

    /// - Parameters:
    ///   - name: of the value, such as `an entry of addresses of node "fra1"`.
    ///   - owner: the owner of the address.
    func address(_ text: Located<String>, _ name: @autoclosure Words, owner: @autoclosure Words) -> IPAddress? {
        guard let line = line(text, name(), Expected.address) else { return nil }
        if let address = IPAddress(line.value) { return address }
        report(
            line.location, "\(owner()) has the address \(line.quoted), expected \(Expected.address)",
            remedy: SocketEndpoint(line.value) != nil
                ? "remove the port" : #"write it like 198.51.100.10 or "2001:db8:10::1""#)
        return nil
    }
}
