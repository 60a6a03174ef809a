import CFastPathABI
import DNSWire
import Resolution

/// Collects the names that the program knows: tailored addresses and static answers.
struct NamePlan {
    private(set) var names = NameTableImage()
    private(set) var profiles: ProfileTable
    private(set) var answers: AnswerTable
    /// Large zones by their apexes.
    private(set) var zones: [[UInt8]: ZoneCells] = [:]
    /// Tailored names that no zone has listed yet, by wire form in lower case.
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

    /// Adds a name of the zones, which may be tailored too.
    mutating func add(_ name: StaticName) {
        let known = tailored.removeValue(forKey: name.wire)
        // If user space decides a tailored name, the program knows nothing about it, not even which types are absent.
        let isLeft = known.map { $0 == nil } ?? false
        var head = (known ?? nil) ?? ProfileTable.plainHead
        if !isLeft { (head.own, head.type) = answers.directory(of: name.own) }
        head.below = answers.directory(of: name.below).cell
        names.append(name.wire, head)
    }

    /// Adds the tailored names that no zone contains. Names below them are refused, like the names above them, so the
    /// names above need no entries.
    mutating func addRest() {
        for (wire, head) in tailored.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let head else { continue }
            names.append(wire, head)
        }
        tailored = [:]
    }

    mutating func place(secret: UInt64) -> Bool { names.place(secret: secret) }
}
