import IPNetworks

/// `views`.
struct ViewRules: EntryRules, NetworkRules {
    let context: RuleContext

    func views(_ entries: [Entry<ViewDeclaration>]) -> [ViewSettings] {
        let limit = ServerConfiguration.maximumViews
        if entries.count > limit {
            report(
                entries[limit].location, "views has \(entries.count) entries, expected at most \(limit)",
                remedy: "remove \(entries.count - limit)")
        }
        var first: [IPPrefix: (view: String, mark: DocumentLocation)] = [:]
        return distinct(entries, in: .views).compactMap { entry in
            let declared = entry.declaration
            let addresses = choice(
                declared.addresses, entry.name("addresses"), default: ViewSettings.Addresses.public)
            _ = required(declared.clients, "clients", in: entry.scope, example: "clients: [10.0.0.0/8]")
            let clients = networks(declared.clients, "clients", in: entry.scope)
            for client in clients {
                if let earlier = first[client.prefix] {
                    report(
                        client.mark,
                        "\(entry.owner) has \(client.prefix), which is in view \(Spelling.quoted(earlier.view)) at "
                            + "\(earlier.mark.reference(from: client.mark)), expected each network in one view",
                        remedy: "remove one")
                }
                first[client.prefix] = (entry.identifier.value, client.mark)
            }
            guard let addresses, !clients.isEmpty else { return nil }
            return ViewSettings(
                id: entry.identifier.value, clients: clients.map(\.prefix), addresses: addresses,
                mark: entry.location)
        }
    }
}
