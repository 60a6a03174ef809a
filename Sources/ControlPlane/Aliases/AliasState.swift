package import DNSWire
package import IPNetworks

/// One alias as it is now.
package struct AliasState: Equatable, Sendable {
    package let name: DomainName
    package let target: DomainName
    /// What is served: the addresses that the name has.
    package let addresses: [IPAddress]
    /// When the older of both families was last looked up with success, in nanoseconds of the monotonic clock. `nil`: one
    /// of them never was since the start.
    package let confirmedAt: Int64?
    /// Why the last lookup failed; `nil`: it did not.
    package let lookupProblem: String?
    /// Why the name does not have the addresses that its target has; `nil`: it has them, or will in a moment.
    package let servingProblem: String?
    /// Whether the name has what is known of its target.
    package let isServed: Bool

    package init(
        name: DomainName, target: DomainName, addresses: [IPAddress], confirmedAt: Int64?, lookupProblem: String?,
        servingProblem: String?, isServed: Bool
    ) {
        (self.name, self.target, self.addresses) = (name, target, addresses)
        (self.confirmedAt, self.lookupProblem) = (confirmedAt, lookupProblem)
        (self.servingProblem, self.isServed) = (servingProblem, isServed)
    }
}
