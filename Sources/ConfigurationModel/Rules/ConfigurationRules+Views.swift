import IPNetworks

/// `views`, and `views` of tailored names.
extension ConfigurationRules {
    mutating func views(_ entries: [Entry<ViewDeclaration>]) -> [ViewSettings] {
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
                            + "\(earlier.mark.reference), expected each network in one view",
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

    /// `views` of a tailored name. Missing keys are as for the name itself.
    mutating func views(
        _ entry: Entry<TailoredDeclaration>, pool: String?, policy: String?, _ known: SteeringIdentifiers
    ) -> [TailoredView]? {
        guard !entry.declaration.views.isAbsent else { return [] }
        guard let declared = entry.declaration.views.located else { return nil }
        let name = entry.name("views")
        guard !known.views.texts.isEmpty else {
            report(
                declared.location, "\(name) names views, but the configuration has none",
                remedy: "add views: [{id: office, clients: [192.0.2.0/24]}] at the top level, or remove it")
            return []
        }
        var seen: Set<String> = []
        return declared.value.compactMap { view in
            guard known.views.contains(view.view.value) else {
                report(
                    UnknownKey.problem(
                        at: view.view.location, text: view.view.value, in: name, known: known.views.texts))
                return nil
            }
            // A file cannot contain a key twice, since its reader rejects that. Other documents can.
            guard seen.insert(view.view.value).inserted else {
                report(
                    view.view.location, "\(name) has view \(view.view.quoted) twice, expected each once",
                    remedy: "remove one")
                return nil
            }
            return self.view(view, of: entry, pool: pool, policy: policy, known)
        }
    }

    private mutating func view(
        _ view: TailoredViewDeclaration, of entry: Entry<TailoredDeclaration>, pool: String?, policy: String?,
        _ known: SteeringIdentifiers
    ) -> TailoredView? {
        guard let choice = view.choice.located else { return nil }
        let owner = entry.scope.subject.view(view.view.value).owner
        guard !choice.value.pool.isAbsent || !choice.value.policy.isAbsent else {
            report(
                view.view.location, "\(owner) is empty, expected pool or policy", remedy: "add one, or remove the view")
            return nil
        }
        let ownPool =
            choice.value.pool.isAbsent
            ? pool
            : choice.value.pool.located.flatMap { reference($0, from: owner, to: .pools, known: known.pools) }
        let ownPolicy =
            choice.value.policy.isAbsent
            ? policy
            : choice.value.policy.located.flatMap { reference($0, from: owner, to: .policies, known: known.policies) }
        guard let ownPool, let ownPolicy else { return nil }
        return TailoredView(view: view.view.value, pool: ownPool, policy: ownPolicy)
    }
}

/// The ids that tailored names refer to.
struct SteeringIdentifiers {
    let pools: KnownIdentifiers
    let policies: KnownIdentifiers
    let views: KnownIdentifiers
}
