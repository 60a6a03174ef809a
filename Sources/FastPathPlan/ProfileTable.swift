import CFastPathABI
import Resolution
import Steering

/// The distinct ways in which addresses of tailored names are chosen.
struct ProfileTable {
    private struct Key: Hashable {
        let ttlMin: UInt32
        let ttlMax: UInt32
        let answers: UInt8
        let allDown: UInt8
        let ecs: UInt8
        let v4: Int?
        let v6: Int?
    }

    private let steering: SteeringTables
    private(set) var cells: [nc_profile] = []
    private var numbers: [Key: UInt16] = [:]

    init(_ steering: SteeringTables) {
        self.steering = steering
    }

    /// The entry of a name without tailored addresses.
    static var plainHead: nc_name_entry {
        var head = nc_name_entry()
        head.profile = UInt16(NC_NO_PROFILE)
        return head
    }

    /// The entry of a tailored name, without the name itself; nil if there are too many profiles.
    mutating func head(of name: TailoredName) -> nc_name_entry? {
        guard let number = number(of: name) else { return nil }
        var head = nc_name_entry()
        head.profile = number
        head.flags = name.views.isEmpty ? 0 : UInt8(NC_NAME_BY_VIEW.rawValue)
        return head
    }

    private mutating func number(of name: TailoredName) -> UInt16? {
        let rule = name.rule
        let key = Key(
            ttlMin: rule.ttl_min, ttlMax: rule.ttl_max, answers: rule.answers, allDown: rule.all_down, ecs: rule.ecs,
            v4: name.v4, v6: name.v6)
        if let number = numbers[key] { return number }
        guard cells.count < NC_NO_PROFILE else { return nil }
        let number = UInt16(cells.count)
        var profile = nc_profile()
        profile.rule = rule
        profile.v4 = steering.place(ofTable: name.v4)
        profile.v6 = steering.place(ofTable: name.v6)
        cells.append(profile)
        numbers[key] = number
        return number
    }
}
