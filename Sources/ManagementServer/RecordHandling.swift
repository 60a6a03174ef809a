public import ControlFailures
public import ManagementTypes

/// What the daemon does for those who change single records. Called by many requests at once.
public protocol RecordHandling: Sendable {
    /// - Throws: `notFound` for a zone that is not served.
    func rrsets(_ request: RRsetsRequest) async throws(ControlFailure) -> RRsetsReport
    /// Makes all changes, or none; returns when they are kept and packets are answered by them.
    ///
    /// - Throws: `invalid` with every change that cannot be made and why; `unavailable` when it cannot be kept.
    func change(_ change: RRsetsChange, of zone: String) async throws(ControlFailure) -> RRsetsReceipt
    /// Lets names of a zone be as its file has them, together; without names all of the zone.
    func forgetChanges(of zone: String, names: [String], type: String?) async throws(ControlFailure) -> RRsetsReceipt
    /// The zone as a master file.
    func export(_ zone: String) async throws(ControlFailure) -> [UInt8]
    /// The zone that a name is in.
    ///
    /// - Throws: `notFound` for a name in no zone.
    func zone(of name: String) async throws(ControlFailure) -> ZoneReport
}
