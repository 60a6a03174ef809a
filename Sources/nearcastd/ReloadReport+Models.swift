import CFastPathABI
import DNSWire
import ManagementTypes
import ModelLoader
import ServerConfiguration
import Serving
import Steering

extension ReloadReport {
    /// What distinguishes `next` from `earlier`, before it serves.
    init(_ trigger: Trigger, from earlier: LoadedModel, to next: LoadedModel) {
        let (old, new) = (earlier.model, next.model)
        let zones = Changes(
            from: earlier.zones, to: next.zones, id: \.origin, isSame: { $0.zone === $1.zone }, name: { "\($0)" })
        let nodes = Changes(from: old.steering.nodes, to: new.steering.nodes, id: \.id, isSame: ==, name: { $0 })
        let tailored = Changes(
            from: old.tailored, to: new.tailored, id: \.name, isSame: { $0.isSame(as: $1, old, new) },
            name: { "\($0)" })
        let database = earlier.geo.table !== next.geo.table
        let steering = old.steering.lists !== new.steering.lists
        let changed =
            zones.count + nodes.count + tailored.count > 0 || database || steering || old.digest != new.digest
        self.init(
            trigger: trigger, epoch: changed ? new.epoch : old.epoch, digest: new.digest.hexadecimal,
            changed: changed, zones: zones, nodes: nodes, tailored: tailored, database: database, steering: steering,
            fastPath: .none, problems: next.problems, loadSeconds: 0, tookSeconds: 0)
    }
}

extension ReloadReport.Changes {
    private static let limit = 100

    fileprivate init<Element, ID: Hashable>(
        from earlier: [Element], to next: [Element], id: (Element) -> ID, isSame: (Element, Element) -> Bool,
        name: (ID) -> String
    ) {
        self.init(total: next.count)
        // Most often the same in the same order: no need for a dictionary of 100,000 names.
        if earlier.count == next.count, zip(earlier, next).allSatisfy({ id($0) == id($1) }) {
            for (old, new) in zip(earlier, next) where !isSame(old, new) {
                Self.append(name(id(new)), to: &changed, &count)
            }
            return
        }
        var rest = Dictionary(earlier.map { (id($0), $0) }) { first, _ in first }
        for element in next {
            let id = id(element)
            guard let old = rest.removeValue(forKey: id) else {
                Self.append(name(id), to: &added, &count)
                continue
            }
            if !isSame(old, element) { Self.append(name(id), to: &changed, &count) }
        }
        for element in earlier where rest[id(element)] != nil { Self.append(name(id(element)), to: &removed, &count) }
    }

    private static func append(_ name: String, to list: inout [String], _ count: inout Int) {
        count += 1
        if list.count < limit { list.append(name) }
    }
}

extension TailoredName {
    /// Whether both are decided alike, given the same nodes. Pool and policy are names for people.
    fileprivate func isSame(as other: TailoredName, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        // Views are told apart by their names and clients: numbers move.
        func views(_ name: TailoredName, _ model: ServingModel) -> [Views.View: AddressChoice] {
            Dictionary(name.views.map { (model.views.views[$0.key], $0.value) }) { first, _ in first }
        }
        let (own, others) = (views(self, model), views(other, otherModel))
        return choice.isSame(as: other.choice, model, otherModel) && own.count == others.count
            && own.allSatisfy { view, choice in
                others[view].map { choice.isSame(as: $0, model, otherModel) } ?? false
            }
    }
}

extension AddressChoice {
    fileprivate func isSame(as other: AddressChoice, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        isSame(v4, other.v4, model, otherModel) && isSame(v6, other.v6, model, otherModel)
            && pool == other.pool && policy == other.policy && rule.ttl_min == other.rule.ttl_min
            && rule.ttl_max == other.rule.ttl_max && rule.answers == other.rule.answers
            && rule.all_down == other.rule.all_down && rule.ecs == other.rule.ecs
    }

    private func isSame(
        _ chain: SteeringChain?, _ other: SteeringChain?, _ model: ServingModel, _ otherModel: ServingModel
    ) -> Bool {
        guard let chain, let other else { return chain == nil && other == nil }
        return chain.isOpen == other.isOpen && chain.addresses == other.addresses
            && chain.steps.elementsEqual(other.steps) { step, other in
                step.isOverlay == other.isOverlay && step.isFallback == other.isFallback
                    && model.steering.tables[step.table].key == otherModel.steering.tables[other.table].key
            }
    }
}

extension ServerConfiguration {
    /// What differs from `earlier` and cannot change while serving, each named at its place.
    func settingsFixed(since earlier: ServerConfiguration) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        func refuse(_ mark: SourceMark, _ setting: String, _ old: String, _ new: String) {
            guard old != new else { return }
            problems.append(
                problem(at: mark, "\(setting) is \(new) and was \(old) at the start: it cannot change by a reload"))
        }
        func text(_ listen: [ListenSettings]) -> String { listen.map { "\($0.endpoint)" }.joined(separator: " ") }
        func text(_ interfaces: [InterfaceSettings]) -> String {
            interfaces.isEmpty ? "none" : interfaces.map(\.name).joined(separator: " ")
        }
        refuse(listen[0].mark, "listen", text(earlier.listen), text(listen))
        refuse(control.mark, "control", earlier.control.path, control.path)
        refuse(state.mark, "state", earlier.state.path, state.path)
        refuse(fastPath.mark, "fast_path.mode", earlier.fastPath.mode.rawValue, fastPath.mode.rawValue)
        refuse(
            fastPath.interfaces.first?.mark ?? fastPath.mark, "fast_path.interfaces", text(earlier.fastPath.interfaces),
            text(fastPath.interfaces))
        for (setting, mark, isSame) in [
            ("fast_path.stale", fastPath.mark, earlier.fastPath.stale == fastPath.stale),
            ("tcp", listen[0].mark, earlier.tcp == tcp),
            ("tls", tls?.mark ?? listen[0].mark, Self.endpoints(earlier.tls) == Self.endpoints(tls)),
            (
                "health.reports.listen", reports?.listener?.mark ?? listen[0].mark,
                Self.fixed(earlier.reports) == Self.fixed(reports)
            ),
        ] where !isSame {
            problems.append(
                problem(at: mark, "\(setting) differs from what it was at the start: it cannot change by a reload"))
        }
        return problems
    }

    /// What is fixed of `health.reports`: the files' content may change.
    private static func fixed(_ reports: ReportSettings?) -> [String] {
        guard let listener = reports?.listener else { return [] }
        let files = [listener.tokens.path, listener.certificate?.chain.path, listener.certificate?.key.path]
        return listener.listen.map { "\($0.endpoint)" } + files.compactMap(\.self)
    }

    /// What is fixed of `tls`: the files' content may change.
    private static func endpoints(_ tls: TLSSettings?) -> [String] {
        tls.map { $0.listen.map { "\($0.endpoint)" } + [$0.certificate.path, $0.key.path] } ?? []
    }
}
