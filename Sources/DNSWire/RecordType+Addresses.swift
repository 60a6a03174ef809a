public import IPNetworks

extension RecordType {
    /// The type of records with the addresses of a family: A or AAAA.
    public init(addressesOf family: IPFamily) { self = family == .v4 ? .a : .aaaa }
}
