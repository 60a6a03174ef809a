public import Access
public import ControlFailures
public import ManagementTypes

/// The operations on zones and their records. Many requests call them concurrently.
public protocol RecordHandling: Sendable {
    /// - Throws: `notFound` for a zone that is not served.
    func rrsets(_ request: RRsetsRequest) async throws(ControlFailure) -> RRsetsReport
    /// Applies all changes, or none; returns when they are stored and packets are answered by them.
    ///
    /// - Throws: `invalid` with every impossible change and why; `unavailable` if they cannot be stored.
    func change(
        _ change: RRsetsChange, of zone: String, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt
    /// What ``change(_:of:by:)`` would change. Changes nothing.
    ///
    /// - Throws: what the change itself would throw.
    func preview(_ change: RRsetsChange, of zone: String) async throws(ControlFailure) -> RRsetsPreview
    /// Drops record changes together, so that the names are as in the zone's file; without names those of the whole
    /// zone.
    func forgetChanges(
        of zone: String, names: [String], type: String?, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt
    /// Changes of a zone's records, the latest first.
    func recordHistory(_ request: RecordHistoryRequest) async throws(ControlFailure) -> [RecordChangeReport]
    /// Makes the RRsets of a change what they were before it.
    ///
    /// - Throws: `notFound` for a number that is not in the history, `conflict` where an RRset is no longer as the
    ///   change left it.
    func undo(
        _ number: UInt64, of zone: String, _ order: UndoOrder, by caller: Caller
    ) async throws(ControlFailure) -> RRsetsReceipt
    /// What ``undo(_:of:_:by:)`` would change. Changes nothing.
    func previewUndo(_ number: UInt64, of zone: String) async throws(ControlFailure) -> RRsetsPreview
    /// The zone as a zone file.
    func export(_ zone: String) async throws(ControlFailure) -> [UInt8]
    /// The zone that a name is in.
    ///
    /// - Throws: `notFound` for a name in no zone.
    func zone(of name: String) async throws(ControlFailure) -> ZoneReport
}
