import CFastPathABI
import DNSWire
import Resolution
import Steering

/// A name and the type of its tailored records.
struct TypedName: Hashable, CustomStringConvertible {
    let name: DomainName
    let type: RecordType

    init(_ records: TailoredRecords) { (name, type) = (records.name, records.type) }

    var description: String { "\(name) \(type)" }
}

extension TailoredName {
    /// Whether both are decided alike, given the same nodes. Pool and policy are names for people.
    func isSame(as other: TailoredName, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        choice.isSame(as: other.choice, model, otherModel)
            && model.views.areSame(views, other.views, in: otherModel.views) {
                $0.isSame(as: $1, model, otherModel)
            }
    }
}

extension TailoredRecords {
    /// The same for records. The host names and texts of the nodes are part of them.
    func isSame(as other: TailoredRecords, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        choice.isSame(as: other.choice, model, otherModel)
            && model.views.areSame(views, other.views, in: otherModel.views) {
                $0.isSame(as: $1, model, otherModel)
            }
    }
}

extension Views {
    /// Whether both choices by view are the same. Views are compared by their names and clients: their numbers change.
    fileprivate func areSame<Choice>(
        _ choices: [Int: Choice], _ others: [Int: Choice], in otherViews: Views, _ isSame: (Choice, Choice) -> Bool
    ) -> Bool {
        guard choices.count == others.count else { return false }
        let named = Dictionary(others.map { (otherViews.views[$0.key], $0.value) }) { first, _ in first }
        return choices.allSatisfy { number, choice in named[views[number]].map { isSame(choice, $0) } ?? false }
    }
}

extension AddressChoice {
    fileprivate func isSame(as other: AddressChoice, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        SteeringChain.areSame(v4, other.v4, model, otherModel) && SteeringChain.areSame(v6, other.v6, model, otherModel)
            && pool == other.pool && policy == other.policy && rule.isSame(as: other.rule)
    }
}

extension TailoredRecords.Choice {
    fileprivate func isSame(
        as other: TailoredRecords.Choice, _ model: ServingModel, _ otherModel: ServingModel
    ) -> Bool {
        pool == other.pool && policy == other.policy && rule.isSame(as: other.rule)
            && content.isSame(as: other.content, model, otherModel)
    }
}

extension TailoredRecords.Content {
    fileprivate func isSame(
        as other: TailoredRecords.Content, _ model: ServingModel, _ otherModel: ServingModel
    ) -> Bool {
        func areSame(_ chain: SteeringChain?, _ other: SteeringChain?) -> Bool {
            SteeringChain.areSame(chain, other, model, otherModel)
        }
        func areSame(_ services: [TailoredRecords.Service], _ others: [TailoredRecords.Service]) -> Bool {
            services.elementsEqual(others) { $0.slot == $1.slot && $0.data == $1.data }
        }
        switch (self, other) {
        case (.services(let services, let fallback), .services(let others, let otherFallback)):
            return areSame(services, others) && areSame(fallback, otherFallback)
        case (.alias(let chain, let hosts), .alias(let otherChain, let otherHosts)):
            return areSame(chain, otherChain) && hosts == otherHosts
        case (.texts(let chain, let texts), .texts(let otherChain, let otherTexts)):
            return areSame(chain, otherChain) && texts == otherTexts
        case (
            .exchanges(let chain, let preference, let hosts),
            .exchanges(let otherChain, let otherPreference, let others)
        ):
            return areSame(chain, otherChain) && preference == otherPreference && hosts == others
        case (
            .binding(let type, let v4, let v6, let prefix), .binding(let otherType, let other4, let other6, let other)
        ):
            return type == otherType && areSame(v4, other4) && areSame(v6, other6) && prefix == other
        case (.services, _), (.alias, _), (.texts, _), (.exchanges, _), (.binding, _): return false
        }
    }
}

extension nc_rule {
    fileprivate func isSame(as other: nc_rule) -> Bool {
        ttl_min == other.ttl_min && ttl_max == other.ttl_max && answers == other.answers && all_down == other.all_down
            && ecs == other.ecs
    }
}

extension SteeringChain {
    fileprivate static func areSame(
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
