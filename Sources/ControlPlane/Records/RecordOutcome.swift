package import DNSWire

/// What a change of records did.
package struct RecordOutcome: Sendable {
    package let zone: DomainName
    /// Of the zone's SOA now.
    package let serial: UInt32
    /// How many RRsets differ from before.
    package let changed: Int
    /// The number of the change in the history; `nil` where nothing entered it.
    package let number: UInt64?
    /// Of the model in use now.
    package let epoch: UInt64
    package let path: PublicationPath
    package let took: Duration
}
