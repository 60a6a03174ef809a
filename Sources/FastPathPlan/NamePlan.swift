import CFastPathABI
import DNSWire
import Resolution

/// Collects what the program knows of names: addresses that it chooses, and answers that are the same for all.
struct NamePlan {
    private(set) var names = NameTableImage()
    private(set) var profiles: ProfileTable
    private(set) var answers: AnswerTable
    /// Zones of many names, by their apexes.
    private(set) var zones: [[UInt8]: ZoneCells] = [:]
    /// Tailored names that were not met yet, by their wire form in lower case.
    private var tailored: [[UInt8]: nc_name_entry?] = [:]

    init(_ model: ServingModel, _ plan: TailoredPlan) {
        profiles = ProfileTable(model.steering)
        answers = AnswerTable(plan.recipes)
        for name in model.tailored {
            let isLeft = plan.left(name) != nil
            tailored.updateValue(isLeft ? nil : profiles.head(of: name), forKey: name.name.lowercasedWire)
        }
    }

    /// Begins the names of a zone, or ends them.
    mutating func enter(_ zone: StaticZone?) {
        guard let zone else { return answers.leave() }
        zones[zone.apex] = answers.enter(zone)
    }

    /// Adds a name that the zones know, and which may be tailored too.
    mutating func add(_ name: StaticName) {
        let known = tailored.removeValue(forKey: name.wire)
        // Of a tailored name that user space decides nothing is told here, not even that it lacks a type.
        let isLeft = known.map { $0 == nil } ?? false
        var head = (known ?? nil) ?? ProfileTable.plainHead
        if !isLeft { (head.own, head.type) = answers.directory(of: name.own) }
        head.below = answers.directory(of: name.below).cell
        names.append(name.wire, head)
    }

    /// Adds the tailored names that no zone holds. Below them, as above, there is nothing but refusals: the names above need not
    /// be there.
    mutating func addRest() {
        for (wire, head) in tailored.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let head else { continue }
            names.append(wire, head)
        }
        tailored = [:]
    }

    mutating func place(secret: UInt64) -> Bool { names.place(secret: secret) }
}
