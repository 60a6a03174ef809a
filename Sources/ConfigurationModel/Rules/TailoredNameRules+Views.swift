/// `views` of tailored names.
extension TailoredNameRules {
    /// `views` of a tailored name. Missing keys are as for the name itself.
    func views(
        _ entry: Entry<TailoredDeclaration>, pool: String?, policy: String?
    ) -> [TailoredView]? {
        guard !entry.declaration.views.isAbsent else { return [] }
        guard let declared = entry.declaration.views.located else { return nil }
        let name = entry.name("views")
        guard !names.views.texts.isEmpty else {
            report(
                declared.location, "\(name) names views, but the configuration has none",
                remedy: "add views: [{id: office, clients: [192.0.2.0/24]}] at the top level, or remove it")
            return []
        }
        var seen: Set<String> = []
        return declared.value.compactMap { view in
            guard names.views.contains(view.view.value) else {
                report(
                    UnknownKey.problem(
                        at: view.view.location, text: view.view.value, in: name, known: names.views.texts))
                return nil
            }
            // A file cannot contain a key twice, since its reader rejects that. Other documents can.
            guard seen.insert(view.view.value).inserted else {
                report(
                    view.view.location, "\(name) has view \(view.view.quoted) twice, expected each once",
                    remedy: "remove one")
                return nil
            }
            return self.view(view, of: entry, pool: pool, policy: policy)
        }
    }

    private func view(
        _ view: TailoredViewDeclaration, of entry: Entry<TailoredDeclaration>, pool: String?, policy: String?
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
            : choice.value.pool.located.flatMap { reference($0, from: owner, to: .pools, known: names.pools) }
        let ownPolicy =
            choice.value.policy.isAbsent
            ? policy
            : choice.value.policy.located.flatMap { reference($0, from: owner, to: .policies, known: names.policies) }
        guard let ownPool, let ownPolicy else { return nil }
        return TailoredView(view: view.view.value, pool: ownPool, policy: ownPolicy)
    }
}
