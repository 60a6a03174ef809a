package import Access
package import ControlFailures
import ControlPlane
package import ManagementTypes
import VisibleText

/// Changes that are planned before they are applied. The log has them as events.
extension Operations {
    package func plan(_ order: PlanOrder, by caller: Caller) async throws(ControlFailure) -> ChangeReport {
        try Remark.require(("author", order.author), ("reason", order.reason))
        let author = caller.author(remarks: order.author)
        let reason = order.reason.flatMap { $0.isEmpty ? nil : $0 }
        return ChangeReport(try await parts().changes.plan(by: author, reason: reason))
    }

    package func changes() async throws(ControlFailure) -> [ChangeReport] {
        try await parts().changes.all.map { ChangeReport($0, withPlan: false) }
    }

    package func change(_ number: UInt64) async throws(ControlFailure) -> ChangeReport {
        ChangeReport(try await parts().changes.changeSet(number))
    }

    package func apply(
        _ number: UInt64, _ order: ApplyOrder, by caller: Caller
    ) async throws(ControlFailure) -> ChangeReport {
        try Remark.require(("author", order.author))
        var accepted: Set<Guard> = []
        for name in order.accept ?? [] {
            guard let one = Guard(rawValue: name) else {
                let names = Guard.allCases.map(\.rawValue).joined(separator: ", ")
                throw ControlFailure(
                    .invalid, "there is no guard \"\(VisibleText.cut(name))\"", remedy: "the guards are \(names)")
            }
            accepted.insert(one)
        }
        let author = caller.author(remarks: order.author)
        let (set, outcome) = try await parts().changes.apply(number, accepting: accepted, by: author)
        var report = ChangeReport(set, withPlan: false)
        report.reload = ReloadReport(outcome)
        return report
    }

    package func withdraw(_ number: UInt64, by caller: Caller) async throws(ControlFailure) -> ChangeReport {
        ChangeReport(try await parts().changes.withdraw(number, by: caller.author()), withPlan: false)
    }
}
