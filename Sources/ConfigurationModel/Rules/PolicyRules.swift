/// `policies`.
struct PolicyRules: EntryRules, NetworkRules {
    let context: RuleContext
    let names: DeclaredNames

    func policies(_ entries: [Entry<PolicyDeclaration>]) -> [PolicySettings] {
        distinct(entries, in: .policies).compactMap { policy($0) }
    }

    private func policy(_ entry: Entry<PolicyDeclaration>) -> PolicySettings? {
        let declared = entry.declaration
        let strategy = choice(
            declared.strategy, entry.name("strategy"), default: PolicySettings.Strategy.nearest)
        if let strategy { checkKeys(of: strategy, entry) }
        let weighing = choice(declared.weighBy, entry.name("weigh_by"), default: PolicySettings.Weighing.weight)
        let whenAllDown = whenAllDown(entry)
        let answers = integer(
            declared.answers, entry.name("answers"), .answers, default: strategy?.isOriginal == true ? 3 : 1)
        let ttl = ttl(entry)
        let tolerance = tolerance(entry, strategy)
        let scoring = scoring(entry)
        let latency = latency(entry, strategy)
        let maximum = integer(declared.maximumDistance, entry.name("maximum_distance"), .maximumDistance)
        let rules = ClientRules(context: context, nodes: names.nodes).rules(entry)
        guard let strategy, let weighing, let whenAllDown, let ecs = declared.ecs.value(or: true), let answers,
            let ttl, let tolerance, let scoring
        else { return nil }
        return PolicySettings(
            id: entry.identifier.value, strategy: strategy, scoring: scoring, latency: latency, weighBy: weighing,
            maximumKilometres: maximum, rules: rules, answers: answers, ttlMin: UInt32(ttl.min),
            ttlMax: UInt32(ttl.max), tolerancePercent: tolerance.percent, toleranceKilometres: tolerance.kilometres,
            usesClientSubnet: ecs, whenAllDown: whenAllDown, mark: entry.location)
    }

    /// Reports keys that belong to other strategies.
    private func checkKeys(of strategy: PolicySettings.Strategy, _ entry: Entry<PolicyDeclaration>) {
        let declared = entry.declaration
        let original = PolicySettings.Strategy.original
        check(declared.sameRegion, "same_region", of: original, strategy, entry)
        check(declared.biasFactor, "bias_factor", of: original, strategy, entry)
        check(declared.latency, "latency", of: [.latency], strategy, entry)
        let ranking = PolicySettings.Strategy.allCases.filter { ![.static, .weighted].contains($0) }
        check(declared.tolerance, "tolerance", of: ranking, strategy, entry)
    }

    private func check<Value>(
        _ declared: Declared<Value>, _ key: String, of strategies: [PolicySettings.Strategy],
        _ strategy: PolicySettings.Strategy, _ entry: Entry<PolicyDeclaration>
    ) {
        guard let stray = declared.located, !strategies.contains(strategy) else { return }
        report(
            stray.key,
            "\(entry.name(key)) belongs to strategy \(Spelling.alternatives(strategies.map(\.rawValue))), but the strategy "
                + "is \(strategy.rawValue)",
            remedy: "remove it")
    }

    // MARK: - TTL and tolerance

    private func ttl(_ entry: Entry<PolicyDeclaration>) -> (min: Int, max: Int)? {
        guard !entry.declaration.ttl.isAbsent else { return (10, 60) }
        guard let located = entry.declaration.ttl.located else { return nil }
        let (declared, scope) = (located.value, entry.scope.nested("ttl", located))
        let min = integer(declared.min, scope.name("min"), .ttl, default: 10)
        let max = integer(declared.max, scope.name("max"), .ttl, default: 60)
        guard let min, let max else { return nil }
        guard min <= max else {
            let lower = declared.min.isAbsent ? "\(min) (the default)" : "\(min)"
            let upper = declared.max.isAbsent ? "\(max) (the default)" : "\(max)"
            report(
                declared.min.located?.location ?? scope.location,
                "\(scope.name("min")) is \(lower) and max is \(upper), expected min not above max",
                remedy: "change one of them")
            return nil
        }
        return (min, max)
    }

    private func tolerance(
        _ entry: Entry<PolicyDeclaration>, _ strategy: PolicySettings.Strategy?
    ) -> (percent: Int, kilometres: Int)? {
        guard !entry.declaration.tolerance.isAbsent else { return (0, 0) }
        guard let located = entry.declaration.tolerance.located else { return nil }
        let (declared, scope) = (located.value, entry.scope.nested("tolerance", located))
        let percent = integer(declared.percent, scope.name("percent"), .tolerancePercent, default: 0)
        let kilometres = integer(declared.kilometres, scope.name("kilometres"), .toleranceKilometres, default: 0)
        guard let percent, let kilometres else { return nil }
        guard percent == 0 || kilometres == 0 else {
            report(
                scope.location,
                "tolerance of \(entry.owner) sets both percent and kilometres, expected one of them",
                remedy: "remove the other")
            return nil
        }
        if let strategy, strategy.isOriginal || strategy == .latency, kilometres > 0,
            let given = declared.kilometres.located
        {
            report(
                given.location,
                "\(scope.name("kilometres")) is \(kilometres), but strategy \(strategy.rawValue) does not rank by "
                    + "kilometres",
                remedy: "use percent")
        }
        return (percent, kilometres)
    }

    // MARK: - Keys of some strategies

    private func scoring(_ entry: Entry<PolicyDeclaration>) -> PolicySettings.Scoring? {
        let declared = entry.declaration
        let factor =
            declared.biasFactor.isAbsent ? 800 : thousandths(declared.biasFactor, entry.name("bias_factor"))
        guard let sameRegion = declared.sameRegion.value(or: true), let factor else { return nil }
        return PolicySettings.Scoring(prefersSameRegion: sameRegion, biasThousandths: factor)
    }

    /// A number from 0 to 1 with at most three decimals, without floating point.
    private func thousandths(_ declared: Declared<String>, _ name: String) -> Int? {
        guard let text = declared.located else { return nil }
        if !text.value.hasPrefix("-"), let millionths = try? Microdegrees.parse(text.value, limit: 1),
            text.value.drop(while: { $0 != "." }).count <= 4
        {
            return Int(millionths) / 1000
        }
        report(
            text.location,
            "\(name) is \(text.value.isEmpty ? "empty" : text.quoted), expected \(Expected.fraction)",
            remedy: "write it like 0.8")
        return nil
    }

    /// `latency` of strategy `latency`, which has nothing to rank by without it.
    private func latency(
        _ entry: Entry<PolicyDeclaration>, _ strategy: PolicySettings.Strategy?
    ) -> [PathSetting] {
        guard strategy == .latency else { return [] }
        let declared = entry.declaration.latency
        _ = required(declared, "latency", in: entry.scope, example: "latency: latency.csv")
        guard let elements = list(declared, "latency", .latency, in: entry.scope) else { return [] }
        let name = entry.name("latency")
        let limit = PolicySettings.maximumLatencyFiles
        guard elements.count <= limit else {
            report(
                elements[limit].location, "\(name) has \(elements.count) files, expected at most \(limit)",
                remedy: "merge some")
            return []
        }
        var settings: [PathSetting] = []
        for element in elements {
            guard let setting = path(element, "an entry of \(name)") else { continue }
            guard !settings.contains(where: { $0.path == setting.path }) else {
                report(element.location, "\(name) has \(element.quoted) twice", remedy: "remove one")
                continue
            }
            settings.append(setting)
        }
        return settings
    }
}
