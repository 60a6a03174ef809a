import DNSWire
import Lints

/// The records of a zone by owner, and the checks of them.
struct ZoneCheck {
    typealias Entry = RecordList.Entry

    let records: RecordList
    let apex: DomainName
    /// Names in the zone that no record has: lower-case wire forms.
    let others: Set<[UInt8]>
    /// Those of them whose addresses are an outside host's: lower-case wire forms.
    let followers: Set<[UInt8]>
    var errors: [ZoneFileError] = []
    var warnings: [ZoneFileError] = []
    /// All owners.
    private(set) var owners = OwnerIndex()
    /// Record numbers, grouped by owner, in file order within a group.
    private var order: [UInt32] = []
    /// Where each owner's group begins in `order`, and the end of the last one.
    private var starts: [Int] = []
    /// Zone cuts: owners of NS below the apex, or of DNAME.
    var ends = OwnerIndex()
    /// Their numbers among all owners.
    var endOwners: [Int] = []
    /// The length of the shortest of their names in bytes.
    var shortestEnd = Int.max
    /// The targets of the delegations' NS records.
    var servers = OwnerIndex()

    init(_ records: RecordList, apex: DomainName, others: [DomainName], followers: [DomainName]) {
        self.records = records
        self.followers = Set(followers.map(\.lowercasedWire))
        self.others = self.followers.union(others.map(\.lowercasedWire))
        self.apex = apex
        group()
    }

    /// Groups the records by owner, by counting sort.
    private mutating func group() {
        var numbers: [UInt32] = []
        numbers.reserveCapacity(records.count)
        var last: (place: Int, number: Int) = (-1, 0)
        for entry in records.entries {
            if last.place != entry.owner.lowerBound {
                last = (entry.owner.lowerBound, owners.insert(entry.owner, of: records.bytes))
            }
            numbers.append(UInt32(last.number))
        }
        starts = Array(repeating: 0, count: owners.count + 1)
        for number in numbers { starts[Int(number) + 1] += 1 }
        for owner in 0..<owners.count { starts[owner + 1] += starts[owner] }
        order = Array(repeating: 0, count: numbers.count)
        var next = starts
        for (record, owner) in numbers.enumerated() {
            order[next[Int(owner)]] = UInt32(record)
            next[Int(owner)] += 1
        }
    }

    /// Number of records of an owner.
    func count(_ owner: Int) -> Int { starts[owner + 1] - starts[owner] }

    /// The record with this index in an owner's group.
    func record(_ owner: Int, _ number: Int) -> Entry { records.entries[Int(order[starts[owner] + number])] }

    func entries(_ owner: Int) -> [Entry] { (0..<count(owner)).map { record(owner, $0) } }

    /// The first record of `type` at an owner.
    func first(_ type: RecordType, at owner: Int) -> Entry? {
        for number in 0..<count(owner) where record(owner, number).type == type { return record(owner, number) }
        return nil
    }

    /// The number of the owner with this wire form.
    func owner(_ wire: [UInt8]) -> Int? { owners.find(wire.indices, of: wire, in: records.bytes) }

    func name(_ owner: Int) -> DomainName { DomainName(wire: records.bytes[owners.place(owner)]) ?? .root }

    func hasSameData(_ left: Entry, _ right: Entry) -> Bool {
        left.dataLength == right.dataLength && records.bytes[left.data] == records.bytes[right.data]
    }

    mutating func report(_ entry: Entry, _ message: String) { errors.append(finding(entry, message)) }

    mutating func warn(_ lint: Lint, _ entry: Entry, _ message: String) {
        var warning = finding(entry, message)
        warning.lint = lint
        warnings.append(warning)
    }

    private func finding(_ entry: Entry, _ message: String) -> ZoneFileError {
        ZoneFileError(
            file: records.files[Int(entry.file)], line: Int(entry.line), column: Int(entry.column), message: message)
    }

    /// The position of another record for a message about `entry`: its line, and the file's name if that differs.
    func place(of other: Entry, from entry: Entry) -> String {
        entry.file == other.file
            ? "in line \(other.line)" : "in line \(other.line) of \(records.files[Int(other.file)])"
    }
}
