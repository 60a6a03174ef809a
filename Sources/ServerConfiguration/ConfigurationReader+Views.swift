import IPNetworks
import Yams

/// `views`, and `views` of tailored names.
extension ConfigurationReader {
    static let viewSection = Section(
        key: "views", word: "view", identifier: "id", known: ["id", "clients", "addresses"],
        identifierExample: "overlay",
        example: "views: [{id: overlay, clients: [10.0.0.0/8], addresses: overlay}]")

    mutating func views(_ entries: [Entry]) -> [ViewSettings] {
        let limit = ServerConfiguration.maximumViews
        if entries.count > limit {
            report(
                entries[limit].fields.mark,
                "views has \(entries.count) entries, expected at most \(limit): remove \(entries.count - limit)")
        }
        var first: [IPPrefix: (view: String, mark: SourceMark)] = [:]
        return distinct(entries, in: Self.viewSection).compactMap { entry in
            var addresses: ViewSettings.Addresses? = .public
            if let node = entry.fields["addresses"] { addresses = choice(node, name: entry.fields.name("addresses")) }
            guard required("clients", in: entry.fields, example: "clients: [10.0.0.0/8]") != nil else { return nil }
            let clients = networks("clients", in: entry.fields)
            for client in clients {
                if let earlier = first[client.prefix] {
                    report(
                        client.mark,
                        "\(entry.owner) has \(client.prefix), which is in view \(Spelling.quoted(earlier.view)) at line "
                            + "\(earlier.mark.line), expected each network in one view: remove one")
                }
                first[client.prefix] = (entry.identifier.text, client.mark)
            }
            guard let addresses, !clients.isEmpty else { return nil }
            return ViewSettings(
                id: entry.identifier.text, clients: clients.map(\.prefix), addresses: addresses,
                mark: entry.fields.mark)
        }
    }

    /// `views` of a tailored name; what is not said there is the name's own.
    mutating func views(
        _ entry: Entry, pool: String?, policy: String?, _ known: SteeringIdentifiers
    ) -> [TailoredView]? {
        guard let node = entry.fields["views"] else { return [] }
        guard !known.views.texts.isEmpty else {
            report(
                node.place,
                "\(entry.fields.name("views")) names views, and the configuration has none: add views: [{id: office, clients: "
                    + "[192.0.2.0/24]}] at the top level, or remove it")
            return []
        }
        guard
            let views = fields(
                node, name: entry.fields.name("views"), prefix: "views.", owner: entry.owner, known: known.views.texts)
        else { return nil }
        return views.entries.compactMap { view in
            let owner = "view \(Spelling.quoted(view.key)) of \(entry.owner)"
            guard let fields = fields(view.value, name: owner, prefix: "", owner: owner, known: ["pool", "policy"])
            else { return nil }
            guard !fields.entries.isEmpty else {
                report(view.mark, "\(owner) is empty, expected pool or policy: add one, or remove the view")
                return nil
            }
            let ownPool =
                fields["pool"].map {
                    reference($0, from: owner, to: Self.poolSection, known: known.pools)
                } ?? pool
            let ownPolicy =
                fields["policy"].map {
                    reference($0, from: owner, to: Self.policySection, known: known.policies)
                } ?? policy
            guard let ownPool, let ownPolicy else { return nil }
            return TailoredView(view: view.key, pool: ownPool, policy: ownPolicy)
        }
    }
}

/// The ids that tailored names refer to.
struct SteeringIdentifiers {
    let pools: KnownIdentifiers
    let policies: KnownIdentifiers
    let views: KnownIdentifiers
}
