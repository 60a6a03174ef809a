public import Access
public import ControlFailures
public import ManagementTypes

/// Changes that are planned before they are applied.
public protocol ChangeHandling: Sendable {
    /// Says what a reload would do, to every client, and keeps it as a change that can be applied.
    ///
    /// - Throws: `invalid` if a reload would be refused, `unavailable` while another change is planned.
    func plan(_ order: PlanOrder, by caller: Caller) async throws(ControlFailure) -> ChangeReport
    /// The latest first, without their plans.
    func changes() async throws(ControlFailure) -> [ChangeReport]
    /// - Throws: `notFound` for an unknown number, as the next ones do.
    func change(_ number: UInt64) async throws(ControlFailure) -> ChangeReport
    /// Serves what was planned; returns when packets see it.
    ///
    /// - Throws: `conflict` if a guard is not accepted, or if the plan is no longer what would be served.
    func apply(_ number: UInt64, _ order: ApplyOrder, by caller: Caller) async throws(ControlFailure) -> ChangeReport
    /// - Throws: `conflict` if it is closed already.
    func withdraw(_ number: UInt64, by caller: Caller) async throws(ControlFailure) -> ChangeReport
}
